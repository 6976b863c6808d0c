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

/** One request as the feed shows it. */
export interface RequestRow {
  /** The time of arrival. */
  readonly at: string
  readonly route: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly outcome: string
  readonly tenant: string
  readonly actor: string
  readonly correlationId: string
  readonly requestId: string
  readonly durationMs: number
  readonly upstreamMs: number | null
  readonly pluginMs: number
  readonly streamed: boolean
  readonly code?: string
  readonly rule?: string
  readonly cause?: string
}

const MAX_PATH_LENGTH = 512

/** The row of a finished request, without the query, which may be confidential. */
export function rowOf(exchange: Exchange, { durationMs, upstreamMs, pluginMs }: ExchangeTimes): RequestRow {
  const streamed = isStreamed(exchange)
  const { code, rule, cause } = exchange.reason ?? {}
  return {
    at: new Date(Date.now() - durationMs).toISOString(),
    route: exchange.route?.id ?? 'unmatched',
    method: exchange.method,
    path: exchange.path.slice(0, MAX_PATH_LENGTH),
    status: exchange.result?.status ?? 0,
    outcome: shownOutcome(exchange.result?.label ?? '', streamed),
    tenant: exchange.tenantId ?? '',
    actor: exchange.actor,
    correlationId: exchange.trace.correlationId,
    requestId: exchange.trace.requestId,
    durationMs: roundMs(durationMs),
    upstreamMs: upstreamMs === undefined ? null : roundMs(upstreamMs),
    pluginMs: roundMs(pluginMs),
    streamed,
    ...(code !== undefined && { code }),
    ...(rule !== undefined && { rule }),
    ...(cause !== undefined && { cause }),
  }
}
