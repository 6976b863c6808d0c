import type { Exchange } from '../exchange.ts'

/** The durations of a request and its steps, in milliseconds. */
export interface ExchangeTimes {
  readonly durationMs: number
  /** `undefined` without an upstream call. */
  readonly upstreamMs: number | undefined
  /** The time before the upstream call or the refusal. */
  readonly pluginMs: number
}

/** The times of a request that ends at `now`. */
export function exchangeTimes(exchange: Exchange, now: number): ExchangeTimes {
  const { startedAt, upstreamStartedAt, upstreamEndedAt = now } = exchange
  return {
    durationMs: now - startedAt,
    upstreamMs: upstreamStartedAt === undefined ? undefined : upstreamEndedAt - upstreamStartedAt,
    pluginMs: (upstreamStartedAt ?? now) - startedAt,
  }
}

/** Rounds to hundredths of a millisecond, the precision that the console shows. */
export function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}

/** Whether a request was answered as a stream. */
export function isStreamed({ slot }: Pick<Exchange, 'slot'>): boolean {
  return slot === 'taken'
}

/** The outcome as the console shows it: the profile has no type for a complete stream, and metrics call it untyped. */
export function shownOutcome(label: string, streamed: boolean): string {
  return streamed && label === 'untyped_2xx' ? 'streamed' : label
}
