import type { Arrival } from '../wire/exchange.ts'

/** Records the completion time of each event of a stream. */
interface EventClock {
  readonly times: readonly number[]
  take(piece: Arrival): void
}

// Enough of a line to recognise its field.
const FIELD_LENGTH = 5

/** Creates the clock of one stream. A blank line ends an event; an event without data does not count (HTML, 9.2.6). */
export function createEventClock(): EventClock {
  const times: number[] = []
  let line = ''
  let hasData = false
  let isAfterReturn = false
  const endLine = (atMs: number) => {
    if (line === '' && hasData) times.push(atMs)
    hasData = line !== '' && (hasData || /^data(:|$)/.test(line))
    line = ''
  }
  return {
    times,
    take({ atMs, text }) {
      // A CRLF may be split between two pieces.
      const piece = isAfterReturn && text.startsWith('\n') ? text.slice(1) : text
      isAfterReturn = text.endsWith('\r')
      for (const [index, part] of piece.split(/\r\n|\r|\n/).entries()) {
        if (index > 0) endLine(atMs)
        line += part.slice(0, FIELD_LENGTH)
      }
      line = line.slice(0, FIELD_LENGTH)
    },
  }
}

/** The completion time of each event of a stream. */
export function eventTimes(arrivals: readonly Arrival[]): readonly number[] {
  const clock = createEventClock()
  for (const arrival of arrivals) clock.take(arrival)
  return clock.times
}
