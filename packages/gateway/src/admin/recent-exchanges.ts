import type { AuditEvent } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import { eventTypes, lastParameter } from '../plugins/otel-audit/audit-event.ts'
import { exchangeTimes, roundMs } from './exchange-times.ts'
import { isStreamed } from './shown-outcome.ts'

/** What is remembered of a request that is over. The object is used again for a later one. */
export interface RecentExchange {
  /** The completed record, where otel-audit made one. */
  event: AuditEvent | undefined
  correlationId: string
  requestId: string
  route: string
  method: string
  path: string
  params: Exchange['params']
  tenant: string
  actor: string
  status: number
  outcome: string
  streamed: boolean
  endedAtMs: number
  durationMs: number
  /** Not a number when no upstream was called. */
  upstreamMs: number
  pluginMs: number
}

/** The last requests of a gateway, in places that are made once. */
export interface RecentExchanges {
  /** Remembers a request in the place of the oldest. */
  add(exchange: Exchange): void
  /** From the newest to the oldest. */
  newestFirst(): Generator<RecentExchange>
}

/** How many requests are remembered. */
export const RECENT_EXCHANGES = 5_000

/** Makes the places. From here on a request costs no memory of its own. */
export function createRecentExchanges(size = RECENT_EXCHANGES): RecentExchanges {
  const places = Array.from({ length: size }, emptyPlace)
  let count = 0
  return {
    add(exchange) {
      const place = places[count % size]
      if (place !== undefined) fill(place, exchange)
      count += 1
    },
    *newestFirst() {
      for (let index = count - 1; index >= Math.max(0, count - size); index -= 1) {
        const place = places[index % size]
        if (place !== undefined) yield place
      }
    },
  }
}

const NO_PARAMS: Exchange['params'] = Object.freeze(Object.create(null))

function emptyPlace(): RecentExchange {
  return {
    event: undefined,
    correlationId: '',
    requestId: '',
    route: '',
    method: '',
    path: '',
    params: NO_PARAMS,
    tenant: '',
    actor: '',
    status: 0,
    outcome: '',
    streamed: false,
    endedAtMs: 0,
    durationMs: 0,
    upstreamMs: 0,
    pluginMs: 0,
  }
}

function fill(place: RecentExchange, exchange: Exchange): void {
  const { durationMs, upstreamMs = Number.NaN, pluginMs } = exchangeTimes(exchange, performance.now())
  place.event = exchange.auditEvent
  place.correlationId = exchange.trace.correlationId
  place.requestId = exchange.trace.requestId
  place.route = exchange.route?.id ?? ''
  place.method = exchange.method
  place.path = exchange.path
  place.params = exchange.params
  place.tenant = exchange.tenantId ?? ''
  place.actor = exchange.actor
  place.status = exchange.result?.status ?? 0
  place.outcome = exchange.result?.label ?? ''
  place.streamed = isStreamed(exchange)
  place.endedAtMs = Date.now()
  place.durationMs = durationMs
  place.upstreamMs = upstreamMs
  place.pluginMs = pluginMs
}

/** The record of a request as a gateway shows it: that of otel-audit if there is one, with times and status beside it. */
export function recordOf(exchange: RecentExchange): AuditEvent {
  const event = exchange.event ?? ownEvent(exchange)
  return { ...event, attributes: { ...event.attributes, ...shownAttributes(exchange) } }
}

/** The record of a request that ends now. */
export function recordNow(exchange: Exchange): AuditEvent {
  const place = emptyPlace()
  fill(place, exchange)
  return recordOf(place)
}

/** When the request arrived. */
export function startedAtOf({ endedAtMs, durationMs }: RecentExchange): string {
  return new Date(endedAtMs - durationMs).toISOString()
}

function ownEvent(exchange: RecentExchange): AuditEvent {
  const isSuccess = Math.floor(exchange.status / 100) === 2
  return {
    event_type: Number.isNaN(exchange.upstreamMs) ? eventTypes.rejected : eventTypes.received,
    tenant_id: exchange.tenant,
    actor_id: exchange.actor,
    request_id: exchange.requestId,
    correlation_id: exchange.correlationId,
    operation: exchange.route,
    resource_id: lastParameter(exchange.params),
    outcome: isSuccess ? 'success' : 'error',
    timestamp: startedAtOf(exchange),
    attributes: {},
  }
}

function shownAttributes(exchange: RecentExchange): Record<string, string> {
  const { upstreamMs, streamed } = exchange
  return {
    method: exchange.method,
    path: exchange.path,
    status: String(exchange.status),
    outcome_label: exchange.outcome,
    started_at: startedAtOf(exchange),
    duration_ms: String(roundMs(exchange.durationMs)),
    plugin_ms: String(roundMs(exchange.pluginMs)),
    ...(!Number.isNaN(upstreamMs) && { upstream_ms: String(roundMs(upstreamMs)) }),
    ...(streamed && { streamed: 'true' }),
  }
}
