import { status } from '@grpc/grpc-js'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import type { OtelAuditOptions } from '../../../src/config/config-schema.ts'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { traceContext } from '../../../src/upstream/trace-context.ts'
import { stopTime } from '../../harness/stop-time.ts'
import { makeBody, makeContext, makeExchange, makeHeaders, makeIdentity } from '../make-exchange.ts'
import { type Collector, startCollector } from './collector.ts'
import { auditedExchange, auditOptions, countedMetrics, drive, driveMany } from './drive.ts'

let collector: Collector
beforeEach(async () => {
  collector = await startCollector()
  // Closing gives up after two seconds and an export after five. A busy machine can need more.
  stopTime()
})
afterEach(() => {
  vi.useRealTimers()
  collector.kill()
})

function pluginWith(options: Partial<OtelAuditOptions> = {}) {
  const metrics = countedMetrics()
  const context = makeContext({ metrics })
  const otlp = auditOptions({ exporter: 'otlp', otlp_endpoint: collector.url, ...options })
  return { plugin: otelAudit(otlp, context), metrics, context }
}

it('exports one span per request with every field as an attribute of its name', async () => {
  const { plugin, metrics, context } = pluginWith({ attributes: [{ field: 'plan', from_claim: 'plan' }] })
  const identity = makeIdentity({ claims: { sub: 'alice', plan: 'gold' } })
  const exchange = await drive(plugin, auditedExchange({ identity, actor: 'bob' }))
  await plugin.close?.()
  const { traceId, spanId } = traceContext(exchange)
  expect(collector.spans).toEqual([
    {
      traceId,
      spanId,
      parentSpanId: '',
      name: 'agentic.request',
      kind: 'SPAN_KIND_SERVER',
      startMs: expect.any(Number),
      endMs: expect.any(Number),
      status: 'STATUS_CODE_OK',
      attributes: {
        event_type: 'agentic.request',
        tenant_id: 'acme',
        actor_id: 'bob',
        request_id: 'req-1',
        correlation_id: 'corr-1',
        operation: 'create-optimization',
        resource_id: 'c-1',
        outcome: 'success',
        timestamp: exchange.auditEvent?.timestamp,
        'attributes.plan': 'gold',
        'attributes.outcome_type': 'created',
        'attributes.issuer': 'https://id.example.test',
        'attributes.token_sub': 'alice',
        'attributes.status': '201',
        'attributes.client_address': '127.0.0.1',
        'http.request.method': 'POST',
        'http.route': '/campaigns/{campaignId}/optimizations',
        'http.response.status_code': 201,
      },
      links: [],
      resource: { 'service.name': 'agentic-gateway' },
    },
  ])
  expect([metrics.ok(), metrics.error(), [...metrics.exporters]]).toEqual([1, 0, ['otlp']])
  expect([context.written, context.lines]).toEqual([[], []])
})

it('sends no credentials', async () => {
  const { plugin } = pluginWith()
  await drive(plugin, auditedExchange({ headers: makeHeaders({ Authorization: 'Bearer secret' }) }))
  await plugin.close?.()
  const sent = collector.metadata.map((metadata) => Object.keys(metadata.getMap()))
  expect(sent).toEqual([expect.not.arrayContaining(['authorization'])])
  expect(JSON.stringify(collector.metadata)).not.toContain('secret')
})

it('lasts from the arrival of the request to its end, and says how it ended', async () => {
  const { plugin } = pluginWith()
  const now = 1_800_000_000_250
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now })
  onTestFinished(() => void vi.useRealTimers())
  await drive(
    plugin,
    auditedExchange({
      startedAt: performance.now() - 250,
      result: { status: 424, label: 'failed_dependency', outcomeType: 'failed_dependency' },
    }),
  )
  // The exporter computes its deadline from the same clock.
  vi.useRealTimers()
  await plugin.close?.()
  const [span] = collector.spans
  expect(span?.status).toBe('STATUS_CODE_ERROR')
  expect(span?.attributes['outcome']).toBe('error')
  // The collector computes both from nanoseconds, which a number holds only nearly.
  expect([span?.startMs, span?.endMs].map((ms) => Math.round(ms ?? 0))).toEqual([now - 250, now])
})

it('derives the trace from a UUID and links the caller', async () => {
  const { plugin } = pluginWith()
  const traceparent = '00-11111111111111111111111111111111-2222222222222222-01'
  await drive(
    plugin,
    auditedExchange({
      trace: { correlationId: '4bf92f35-77b3-4da6-a3ce-929d0e0e4736', requestId: 'r' },
      headers: makeHeaders({ traceparent }),
    }),
  )
  await plugin.close?.()
  expect(collector.spans).toEqual([
    expect.objectContaining({
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      parentSpanId: '',
      links: [{ traceId: '11111111111111111111111111111111', spanId: '2222222222222222' }],
    }),
  ])
})

it('makes the span that the upstream was told about the parent of the next gateway', async () => {
  const { plugin } = pluginWith()
  const first = await drive(plugin)
  const { traceparent, spanId, traceId } = traceContext(first)
  await drive(plugin, auditedExchange({ headers: makeHeaders({ traceparent }) }))
  await plugin.close?.()
  expect(collector.spans[1]).toEqual(
    expect.objectContaining({ traceId, parentSpanId: spanId, links: [{ traceId, spanId }] }),
  )
})

it('carries text of any kind and a body of 1 MiB', async () => {
  const { plugin } = pluginWith({
    include_request_body: true,
    attributes: [{ field: 'odd', from_claim: 'odd' }],
  })
  const identity = makeIdentity({ claims: { sub: 'alice', odd: 'a\ud800b €\n😀' } })
  await drive(plugin, auditedExchange({ identity, body: makeBody('€'.repeat(400_000)) }))
  await plugin.close?.()
  const [span] = collector.spans
  expect(span?.attributes['attributes.odd']).toBe('a\ufffdb €\n😀')
  expect(span?.attributes['request_body'] === '€'.repeat(349_525)).toBe(true)
})

it('exports a request that was refused earlier when told to', async () => {
  const { plugin } = pluginWith({ include_rejected: true })
  plugin.response?.(makeExchange({ result: { status: 403, label: 'forbidden', outcomeType: 'forbidden' } }))
  await plugin.close?.()
  const [span] = collector.spans
  expect([span?.name, span?.attributes['event_type']]).toEqual([
    'agentic.request',
    'agentic.request.rejected',
  ])
})

it('exports thousands of spans in batches, each once', async () => {
  const { plugin, metrics } = pluginWith()
  await driveMany(plugin, 5_000)
  await plugin.close?.()
  const ids = new Set(collector.spans.map(({ attributes }) => attributes['request_id']))
  expect(ids.size).toBe(metrics.ok())
  expect(collector.spans).toHaveLength(metrics.ok())
  expect([metrics.ok(), metrics.error()]).toEqual([5_000, 0])
  expect(Math.max(...collector.batches)).toBe(256)
})

it('sends bodies in messages that a collector takes', async () => {
  const { plugin, metrics } = pluginWith({ include_request_body: true })
  for (let n = 0; n < 7; n += 1) {
    await drive(plugin, auditedExchange({ body: makeBody(Buffer.alloc(1_048_576, 'b')) }))
  }
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([7, 0])
  expect(collector.batches).toEqual([1, 1, 1, 1, 1, 1, 1])
})

it.each([
  { records: 20, bytes: 1_000_000, held: 5 },
  { records: 200, bytes: 60_000, held: 100 },
])('sends bodies of $bytes bytes as soon as they fill a batch', async ({ records, bytes, held }) => {
  const { plugin, metrics } = pluginWith({ include_request_body: true })
  for (let n = 1; n <= records; n += 1) {
    await drive(plugin, auditedExchange({ body: makeBody(Buffer.alloc(bytes, 'b')) }))
    while (metrics.ok() + metrics.error() < n - held) await new Promise((resolve) => setImmediate(resolve))
  }
  await plugin.close?.()
  expect([metrics.ok(), metrics.error(), collector.spans.length]).toEqual([records, 0, records])
})

it('drops a batch that the collector refuses, once, and the next one arrives', async () => {
  const { plugin, metrics, context } = pluginWith()
  collector.answerWith(status.RESOURCE_EXHAUSTED)
  await driveMany(plugin, 256)
  while (metrics.error() === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(plugin.degraded?.()).toBe('otel-audit drops records')
  collector.answerWith(status.OK)
  await driveMany(plugin, 256)
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([256, 256])
  expect(collector.metadata).toHaveLength(2)
  expect(plugin.degraded?.()).toBeUndefined()
  expect(context.lines).toEqual([
    {
      level: 'warn',
      message: 'audit records were dropped',
      fields: { exporter: 'otlp', records: 256, cause: expect.stringContaining('told to fail') },
    },
  ])
})

it('keeps one connection over a reload, and closes it with the last that uses it', async () => {
  const { plugin: former, context } = pluginWith()
  const options = auditOptions({ exporter: 'otlp', otlp_endpoint: collector.url })
  const next = otelAudit(options, context)
  expect(context.resources.all).toHaveLength(1)
  await drive(former)
  await former.close?.()
  expect(context.resources.all).toHaveLength(1)
  await drive(next)
  await next.close?.()
  expect(context.resources.all).toHaveLength(0)
  await collector.arrived(2)
})
