import { createEventParser } from '@agentic-rest/profile'
import type { Arrival } from '../wire/exchange.ts'

/** Records the completion time of each event of a stream. */
interface EventClock {
  readonly times: readonly number[]
  take(piece: Arrival): void
}

/** Creates the clock of one stream. An event without data does not count. The wire bounds the length of the stream. */
export function createEventClock(): EventClock {
  const times: number[] = []
  const parser = createEventParser(Number.POSITIVE_INFINITY)
  return {
    times,
    take({ atMs, text }) {
      times.push(...parser.push(text).map(() => atMs))
    },
  }
}

/** The completion time of each event of a stream. */
export function eventTimes(arrivals: readonly Arrival[]): readonly number[] {
  const clock = createEventClock()
  for (const arrival of arrivals) clock.take(arrival)
  return clock.times
}
