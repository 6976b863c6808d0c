import { type AuditEvent, headerKeys } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import { readTraceparent, traceIdOf } from '@agentic-rest/profile/span'
import { type Exchange, redactedText } from '../exchange.ts'
import type { Watcher } from '../line/parts.ts'
import type { Log } from '../log.ts'
import { addCall } from '../plugins/otel-audit/audit-event.ts'
import { eventTypes, lastParameter } from '../plugins/otel-audit/otel-audit.ts'
import { exchangeTimes, isStreamed, roundMs } from './exchange-times.ts'
import { keepHeaders } from './kept-headers.ts'

/** A finished request. The object is reused for a later request. */
export interface RecentExchange {
  /** The audit record, if otel-audit made one. */
  event: AuditEvent | undefined
  correlationId: string
  requestId: string
  spanId: string
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
  /** NaN without an upstream call. */
  upstreamMs: number
  pluginMs: number
  /** By `performance.now()`, like the times of the trail. */
  startedAt: number
  reason: Exchange['reason']
  trail: Exchange['trail']
  violations: Exchange['violations']
  redactions: Exchange['redactions']
  resent: boolean
  /** The `traceparent` of the request. */
  traceparent: string | undefined
  serviceAccount: boolean
  mcpCall: Exchange['mcpCall']
  /** Made with `keepHeaders`. */
  headers: string
}

/** The last requests of a gateway, in a ring of objects that are allocated once. */
export interface RecentExchanges {
  /** Replaces the oldest request. */
  add(exchange: Exchange): void
  newestFirst(): Generator<RecentExchange>
}

const RECENT_EXCHANGES = 5_000

/** Allocates the ring. Adding a request then allocates nothing that stays, but keeps the times of its steps. */
export function createRecentExchanges(size = RECENT_EXCHANGES): RecentExchanges {
  const ring = Array.from({ length: size }, emptyEntry)
  let count = 0
  return {
    add(exchange) {
      const entry = ring[count % size]
      if (entry !== undefined) fill(entry, exchange)
      count += 1
    },
    *newestFirst() {
      for (let index = count - 1; index >= Math.max(0, count - size); index -= 1) {
        const entry = ring[index % size]
        if (entry !== undefined) yield entry
      }
    },
  }
}

const NO_PARAMS: Exchange['params'] = Object.freeze(Object.create(null))

function emptyEntry(): RecentExchange {
  return {
    event: undefined,
    correlationId: '',
    requestId: '',
    spanId: '',
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
    startedAt: 0,
    reason: undefined,
    trail: undefined,
    violations: [],
    redactions: undefined,
    resent: false,
    traceparent: undefined,
    serviceAccount: false,
    mcpCall: undefined,
    headers: '',
  }
}

function fill(entry: RecentExchange, exchange: Exchange): void {
  const { durationMs, upstreamMs = Number.NaN, pluginMs } = exchangeTimes(exchange, performance.now())
  entry.event = exchange.auditEvent
  entry.correlationId = exchange.trace.correlationId
  entry.requestId = exchange.trace.requestId
  entry.spanId = exchange.spanId
  entry.route = exchange.route?.id ?? ''
  entry.method = exchange.method
  entry.path = exchange.path
  entry.params = exchange.params
  entry.tenant = exchange.tenantId ?? ''
  entry.actor = exchange.actor
  entry.status = exchange.result?.status ?? 0
  entry.outcome = exchange.result?.label ?? ''
  entry.streamed = isStreamed(exchange)
  entry.endedAtMs = Date.now()
  entry.durationMs = durationMs
  entry.upstreamMs = upstreamMs
  entry.pluginMs = pluginMs
  entry.startedAt = exchange.startedAt
  entry.reason = exchange.reason
  entry.trail = exchange.trail
  entry.violations = exchange.violations
  entry.redactions = exchange.redactions
  entry.resent = exchange.resent
  entry.traceparent = exchange.headers[headerKeys.traceparent]
  entry.serviceAccount = exchange.identity?.serviceAccount ?? false
  entry.mcpCall = exchange.mcpCall
  entry.headers = keepHeaders(exchange)
}

/** The records of one correlation id. */
export function ownRecords(correlationId: string, recent: RecentExchanges): AuditEvent[] {
  const records: AuditEvent[] = []
  for (const exchange of recent.newestFirst())
    if (exchange.correlationId === correlationId) records.push(recordOf(exchange))
  return records
}

/** The record of a request: that of otel-audit if there is one, with status and times as attributes. */
function recordOf(exchange: RecentExchange): AuditEvent {
  const event = exchange.event ?? ownEvent(exchange)
  return { ...event, attributes: { ...event.attributes, ...shownAttributes(exchange) } }
}

/** The entry of a request that ends now, outside the ring. */
export function entryOf(exchange: Exchange): RecentExchange {
  const entry = emptyEntry()
  fill(entry, exchange)
  return entry
}

/** The MCP call of a request, as a member of its row. */
export function listedCall({ mcpCall }: RecentExchange): Pick<AdminBody<'RequestRow'>, 'mcp'> {
  if (mcpCall === undefined) return {}
  const { tool, client, version, round } = mcpCall
  return { mcp: { tool, client: client.toWellFormed(), version, round } }
}

/** The redactions of a request, as a member of its row. */
export function listedRedactions(exchange: RecentExchange): { readonly redacted?: string } {
  const redacted = redactedText(exchange)
  return redacted === undefined ? {} : { redacted }
}

/** The time of arrival. */
export function startedAtOf({ endedAtMs, durationMs }: RecentExchange): string {
  return new Date(endedAtMs - durationMs).toISOString()
}

/**
 * The span that a service behind a gateway passed on. Gateways derive the trace id from the correlation id, so a
 * `traceparent` with another trace is one of a client.
 */
export function parentSpanOf({ traceparent, correlationId }: RecentExchange): string | undefined {
  const span = readTraceparent(traceparent)
  return span?.traceId === traceIdOf(correlationId) ? span.spanId : undefined
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
  const { upstreamMs, streamed, reason } = exchange
  return {
    ...reasonAttributes(reason),
    ...listedRedactions(exchange),
    ...addCall({}, exchange),
    method: exchange.method,
    path: exchange.path,
    status: String(exchange.status),
    outcome_label: exchange.outcome,
    started_at: startedAtOf(exchange),
    duration_ms: String(roundMs(exchange.durationMs)),
    plugin_ms: String(roundMs(exchange.pluginMs)),
    ...(!Number.isNaN(upstreamMs) && { upstream_ms: String(roundMs(upstreamMs)) }),
    ...(streamed && { streamed: 'true' }),
    ...callerAttributes(exchange),
  }
}

/** Who called whom: the span of the request, the span that its sender worked for, and whether it was a service account. */
function callerAttributes(exchange: RecentExchange): Record<string, string> {
  const parent = parentSpanOf(exchange)
  return {
    span_id: exchange.spanId,
    ...(parent !== undefined && { parent_span_id: parent }),
    ...(exchange.serviceAccount && { service_account: 'true' }),
  }
}

/** The reason as otel-audit writes it: requests without a record of otel-audit have it too. */
function reasonAttributes(reason: RecentExchange['reason']): Record<string, string> {
  if (reason === undefined) return {}
  const { code, rule, cause, step } = reason
  return { code, step, ...(rule !== undefined && { rule }), ...(cause !== undefined && { cause }) }
}

/** Takes the record of a request. It must return at once; an error is logged and ignored. */
export type RecordTaker = (record: AuditEvent) => void

/** Passes every record to `onRecord`, with status and times as attributes. */
export function createRecordWatcher(options: {
  readonly onRecord?: RecordTaker | undefined
  readonly log: Log
}): Watcher | undefined {
  const { onRecord, log } = options
  if (onRecord === undefined) return undefined
  return function passRecordOn(exchange) {
    try {
      onRecord(recordOf(entryOf(exchange)))
    } catch (error) {
      log.warn('a record was not taken', { request_id: exchange.trace.requestId, error })
    }
  }
}
