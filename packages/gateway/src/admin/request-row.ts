import type { Exchange } from '../exchange.ts'
import { type ExchangeTimes, roundMs } from './exchange-times.ts'
import { isStreamed, shownOutcome } from './shown-outcome.ts'

/** One request as the feed shows it. */
export interface RequestRow {
  /** When it arrived. */
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
}

const MAX_PATH_LENGTH = 512

/** The row of a request that is over. The query is left out: it may hold what is nobody else's business. */
export function rowOf(exchange: Exchange, { durationMs, upstreamMs, pluginMs }: ExchangeTimes): RequestRow {
  const streamed = isStreamed(exchange)
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
  }
}
