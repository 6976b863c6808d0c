import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeExchange, makeHeaders } from '../../../test/plugins/make-exchange.ts'
import { auditRecord } from '../../../test/plugins/otel-audit/drive.ts'
import { traceContext } from '../../upstream/trace-context.ts'
import { requestSpan, spanBytes } from './request-span.ts'

const event = auditRecord({ outcome_type: 'created', region: 'eu' })

it('has the name, the fields and the flattened attributes of the record', () => {
  const result = { status: 201, label: 'created', outcomeType: 'created' } as const
  const span = requestSpan(event, makeExchange({ result }))
  expect(span.name).toBe('agentic.request')
  expect(span.kind).toBe(SpanKind.SERVER)
  expect(span.attributes).toEqual({
    event_type: 'agentic.request',
    tenant_id: 'acme',
    actor_id: 'alice',
    request_id: 'r-1',
    correlation_id: 'c-1',
    operation: 'create-optimization',
    resource_id: 'c-1',
    outcome: 'success',
    timestamp: '2026-01-01T00:00:00.000Z',
    'http.request.method': 'POST',
    'http.route': '/campaigns/{campaignId}/optimizations',
    'http.response.status_code': 201,
    'attributes.outcome_type': 'created',
    'attributes.region': 'eu',
  })
})

it.each([
  [
    424,
    { code: 'UPSTREAM_UNAVAILABLE', rule: undefined, cause: 'ECONNREFUSED', step: 'upstream' },
    'UPSTREAM_UNAVAILABLE',
  ],
  [502, undefined, '502'],
  [404, undefined, undefined],
])('names the error of the status %d by code, or by a status of the server', (status, reason, type) => {
  const result = { status, label: 'error', outcomeType: undefined }
  const { attributes } = requestSpan(event, makeExchange({ result, reason }))
  expect(attributes['http.response.status_code']).toBe(status)
  expect(attributes['error.type']).toBe(type)
})

it('keeps the event type of a request that was refused earlier', () => {
  const span = requestSpan({ ...event, event_type: 'agentic.request.rejected' }, makeExchange())
  expect(span.attributes['event_type']).toBe('agentic.request.rejected')
})

it('has the captured body when there is one', () => {
  const span = requestSpan(event, makeExchange({ requestBodyForAudit: '{"goal":"ctr"}' }))
  expect(span.attributes['request_body']).toBe('{"goal":"ctr"}')
})

it.each([
  ['success', SpanStatusCode.OK],
  ['error', SpanStatusCode.ERROR],
])('ends with the status of the outcome %s', (outcome, code) => {
  expect(requestSpan({ ...event, outcome }, makeExchange()).status).toEqual({ code })
})

it('has the ids that the upstream was sent', () => {
  const exchange = makeExchange()
  const { traceId, spanId } = traceContext(exchange)
  const span = requestSpan(event, exchange)
  expect(span.spanContext()).toEqual({ traceId, spanId, traceFlags: TraceFlags.SAMPLED })
  expect(span.parentSpanContext).toBeUndefined()
  expect(span.links).toEqual([])
})

it('links the span that the caller named', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  const span = requestSpan(event, makeExchange({ headers: makeHeaders({ traceparent }) }))
  const context = {
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    traceFlags: 1,
    isRemote: true,
  }
  expect(span.links).toEqual([{ context }])
  expect(span.parentSpanContext).toBeUndefined()
})

it('is a child of a caller in the same trace', () => {
  const { traceId } = traceContext(makeExchange())
  const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
  const span = requestSpan(event, makeExchange({ headers: makeHeaders({ traceparent }) }))
  const context = { traceId, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true }
  expect(span.parentSpanContext).toEqual(context)
  expect(span.links).toEqual([{ context }])
})

it('lasts from the arrival of the request until now', () => {
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: 1_800_000_000_250 })
  onTestFinished(() => void vi.useRealTimers())
  const { startTime, endTime, duration } = requestSpan(
    event,
    makeExchange({ startedAt: performance.now() - 1500 }),
  )
  expect({ startTime, endTime, duration }).toEqual({
    startTime: [1_799_999_998, 750_000_000],
    endTime: [1_800_000_000, 250_000_000],
    duration: [1, 500_000_000],
  })
})

it('counts the bytes of its texts, and some for the rest', () => {
  const small = spanBytes(requestSpan(event, makeExchange()))
  const large = spanBytes(requestSpan(event, makeExchange({ requestBodyForAudit: '€'.repeat(1000) })))
  expect(small).toBeGreaterThan(300)
  expect(small).toBeLessThan(1000)
  expect(large - small).toBeGreaterThanOrEqual(3000)
  expect(large - small).toBeLessThan(3100)
})
