import type { Arrival } from '../wire/exchange.ts'

/** Takes in the pieces of an event stream and knows when each event was complete. */
interface EventClock {
  readonly times: readonly number[]
  take(piece: Arrival): void
}

// As much of a line as tells its field.
const FIELD_LENGTH = 5

/** A clock for one stream. A blank line ends an event, and without data it is none (HTML, 9.2.6): comments do not count. */
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
      // The two characters of one line end may come apart.
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

/** When each event of a stream was complete. */
export function eventTimes(arrivals: readonly Arrival[]): readonly number[] {
  const clock = createEventClock()
  for (const arrival of arrivals) clock.take(arrival)
  return clock.times
}
