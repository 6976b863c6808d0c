import type { Exchange } from '../exchange.ts'

/** How long a request and its steps took, in milliseconds. */
export interface ExchangeTimes {
  readonly durationMs: number
  /** Nothing when no upstream was called. */
  readonly upstreamMs: number | undefined
  /** What passed before the upstream was called, or before the refusal. */
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

/** Hundredths of a millisecond: what is shown, and what is worth sending. */
export function roundMs(ms: number): number {
  return Math.round(ms * 100) / 100
}
