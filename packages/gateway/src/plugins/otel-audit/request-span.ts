import { type AuditEvent, headerKeys, outcomes } from '@agentic-rest/profile'
import { type RemoteSpan, readTraceparent, spanOrigin, spanTime } from '@agentic-rest/profile/span'
import type { Attributes, Link, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { Exchange } from '../../exchange.ts'
import { traceContext } from '../../upstream/trace-context.ts'
import { eventTypes } from './audit-event.ts'

// The enums of the library are imported as types only: a gateway with the stdout exporter does not load it.
const SERVER_KIND: SpanKind = 1
const STATUS_OK: SpanStatusCode = 1
const STATUS_ERROR: SpanStatusCode = 2
const SAMPLED = 1

const SPAN_NAME = 'agentic.request'
const origin = spanOrigin('agentic-gateway', '@agentic-rest/gateway')

/** Creates the span of a request from its completed record; the request ends now (decision 23). */
export function requestSpan(event: AuditEvent, exchange: Exchange): ReadableSpan {
  const { traceId, spanId } = traceContext(exchange)
  const caller = readTraceparent(exchange.headers[headerKeys.traceparent])
  const times = spanTimes(exchange.startedAt)
  return {
    name: SPAN_NAME,
    kind: SERVER_KIND,
    spanContext: () => ({ traceId, spanId, traceFlags: SAMPLED }),
    ...(caller?.traceId === traceId && { parentSpanContext: { ...caller, isRemote: true } }),
    ...times,
    status: { code: event.outcome === 'success' ? STATUS_OK : STATUS_ERROR },
    attributes: spanAttributes(event, exchange),
    links: caller === undefined ? [] : [linkTo(caller)],
    ...origin,
  }
}

/** Estimates the bytes of a span on the wire. */
export function spanBytes({ attributes }: ReadableSpan): number {
  let bytes = 160
  for (const key in attributes) bytes += key.length + Buffer.byteLength(String(attributes[key])) + 8
  return bytes
}

/** The names of the HTTP semantic conventions. `url.path` is left out: it may hold personal data. */
function httpAttributes({ method, route, result, reason }: Exchange): Attributes {
  const status = result?.status ?? 0
  const errorType = reason?.code ?? (status >= outcomes.error.status ? String(status) : undefined)
  return {
    'http.request.method': method,
    ...(route !== undefined && { 'http.route': route.path }),
    ...(status !== 0 && { 'http.response.status_code': status }),
    ...(errorType !== undefined && { 'error.type': errorType }),
  }
}

function spanAttributes(event: AuditEvent, exchange: Exchange): Attributes {
  const { requestBodyForAudit: requestBody } = exchange
  const { attributes, ...fields } = event
  const flat: Attributes = { ...fields, ...httpAttributes(exchange) }
  if (event.event_type === eventTypes.received) flat['event_type'] = SPAN_NAME
  for (const key in attributes) flat[`attributes.${key}`] = attributes[key]
  if (requestBody !== undefined) flat['request_body'] = requestBody
  return flat
}

function linkTo(caller: RemoteSpan): Link {
  return { context: { ...caller, isRemote: true } }
}

/** The end is now. The start is computed from it, because the monotonic clock drifts from the wall clock. */
function spanTimes(startedAt: number): Pick<ReadableSpan, 'startTime' | 'endTime' | 'duration'> {
  const durationMs = performance.now() - startedAt
  const endMs = Date.now()
  return { startTime: spanTime(endMs - durationMs), endTime: spanTime(endMs), duration: spanTime(durationMs) }
}
