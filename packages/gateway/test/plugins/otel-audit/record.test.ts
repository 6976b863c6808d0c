import { expect, it } from 'vitest'
import type { OtelAuditOptions } from '../../../src/config/config-schema.ts'
import { InitialisationError } from '../../../src/errors.ts'
import type { Exchange } from '../../../src/exchange.ts'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { makeContext, makeExchange, makeHeaders, makeIdentity } from '../make-exchange.ts'
import { auditedExchange, auditOptions, countedMetrics, drive } from './drive.ts'

/** The lines on stdout for one exchange, parsed. */
async function recordsOf(exchange: Exchange, options: Partial<OtelAuditOptions> = {}) {
  const metrics = countedMetrics()
  const context = makeContext({ metrics })
  const plugin = otelAudit(auditOptions(options), context)
  await drive(plugin, exchange)
  await plugin.close?.()
  const lines = context.written.join('').split('\n').slice(0, -1)
  return { lines: lines.map((line) => JSON.parse(line)), metrics, context }
}

const CALLER = { issuer: 'https://id.example.test', token_sub: 'alice', client_address: '127.0.0.1' }

it('writes one line per request with every field of the table', async () => {
  const before = Date.now()
  const { lines, metrics } = await recordsOf(auditedExchange())
  const { timestamp, ...rest } = lines[0]
  expect(rest).toEqual({
    level: 'INFO',
    msg: 'agentic.request',
    event_type: 'agentic.request.received',
    tenant_id: 'acme',
    actor_id: 'alice',
    request_id: 'req-1',
    correlation_id: 'corr-1',
    operation: 'create-optimization',
    resource_id: 'c-1',
    outcome: 'success',
    attributes: { ...CALLER, outcome_type: 'created', status: '201' },
  })
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
  expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now())
  expect(lines).toHaveLength(1)
  expect([metrics.ok(), metrics.error(), [...metrics.exporters], metrics.durations.length]).toEqual([
    1,
    0,
    ['stdout'],
    1,
  ])
})

it('makes the record before the request goes on, and its timestamp is that moment', async () => {
  const plugin = otelAudit(auditOptions(), makeContext())
  const exchange = auditedExchange()
  expect(plugin.request(exchange)).toBeUndefined()
  const event = exchange.auditEvent
  expect(event).toEqual(expect.objectContaining({ event_type: 'agentic.request.received', outcome: '' }))
  exchange.result = { status: 200, label: 'success', outcomeType: 'success' }
  plugin.response?.(exchange)
  expect(exchange.auditEvent).toEqual({
    ...event,
    outcome: 'success',
    attributes: { ...CALLER, outcome_type: 'success', status: '200' },
  })
  await plugin.close?.()
})

it('writes nothing before the outcome is known', async () => {
  const context = makeContext()
  const plugin = otelAudit(auditOptions(), context)
  plugin.request(auditedExchange())
  await plugin.close?.()
  expect(context.written).toEqual([])
})

it('records what a failing request ended with', async () => {
  const { lines } = await recordsOf(
    auditedExchange({
      result: { status: 412, label: 'approval_required', outcomeType: 'approval_required' },
      violations: ['schema'],
    }),
  )
  expect(lines).toEqual([
    expect.objectContaining({
      outcome: 'error',
      attributes: {
        ...CALLER,
        status: '412',
        outcome_type: 'approval_required',
        profile_violations: 'schema',
        rule: 'schema',
      },
    }),
  ])
})

it('maps headers, claims and the route id into fields and attributes', async () => {
  const exchange = auditedExchange({
    headers: makeHeaders({ 'X-Region': 'eu', 'X-Case': 'case-7' }),
    identity: makeIdentity({ claims: { sub: 'alice', account: { plan: 'gold' } } }),
  })
  const { lines } = await recordsOf(exchange, {
    attributes: [
      { field: 'region', from_header: 'x-region' },
      { field: 'plan', from_claim: 'account.plan' },
      { field: 'route', from_route_id: true },
      { field: 'resource_id', from_header: 'X-Case' },
    ],
  })
  expect(lines).toEqual([
    expect.objectContaining({
      resource_id: 'case-7',
      attributes: {
        ...CALLER,
        region: 'eu',
        plan: 'gold',
        route: 'create-optimization',
        outcome_type: 'created',
        status: '201',
      },
    }),
  ])
})

it('is a no-op when it is off', async () => {
  const exchange = auditedExchange({ identity: undefined })
  const { lines, metrics } = await recordsOf(exchange, {
    enabled: false,
    exporter: 'otlp',
    include_rejected: true,
  })
  expect(lines).toEqual([])
  expect(exchange.auditEvent).toBeUndefined()
  expect(metrics.ok() + metrics.error()).toBe(0)
})

it.each(['', 'http://collector:80'])('does not start with exporter otlp and the endpoint %j', (endpoint) => {
  const options = auditOptions({ exporter: 'otlp', otlp_endpoint: endpoint })
  expect(() => otelAudit(options, makeContext())).toThrow(InitialisationError)
})

const refused = { status: 401, label: 'unauthenticated', outcomeType: undefined } as const

it('leaves out a request that an earlier plugin refused', async () => {
  const context = makeContext()
  const plugin = otelAudit(auditOptions(), context)
  plugin.response?.(makeExchange({ result: refused }))
  await plugin.close?.()
  expect(context.written).toEqual([])
})

it('records such a request as rejected when told to, without its body', async () => {
  const context = makeContext()
  const options = auditOptions({ include_rejected: true, include_request_body: true })
  const plugin = otelAudit(options, context)
  plugin.response?.(makeExchange({ result: refused, headers: makeHeaders({ 'X-Tenant-ID': 'acme' }) }))
  await plugin.close?.()
  expect(context.written.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'INFO',
      msg: 'agentic.request',
      event_type: 'agentic.request.rejected',
      tenant_id: '',
      actor_id: '',
      request_id: 'req-1',
      correlation_id: 'corr-1',
      operation: 'create-optimization',
      resource_id: 'c-1',
      outcome: 'error',
      timestamp: expect.any(String),
      attributes: { status: '401', client_address: '127.0.0.1' },
    },
  ])
})

/** An identity with unreadable claims. */
const poisoned = Object.defineProperty(makeIdentity(), 'claims', {
  get: () => {
    throw new Error('poisoned')
  },
})

it('lets a request pass whose record it fails to make, logs it and books it as lost once', async () => {
  const { lines, metrics, context } = await recordsOf(auditedExchange({ identity: poisoned }), {
    include_rejected: true,
    attributes: [{ field: 'plan', from_claim: 'plan' }],
  })
  expect(lines).toEqual([])
  expect([metrics.ok(), metrics.error()]).toEqual([0, 1])
  expect(context.lines.filter(({ level }) => level === 'error')).toEqual([
    {
      level: 'error',
      message: 'otel-audit failed to record a request',
      fields: { request_id: 'req-1', error: new Error('poisoned') },
    },
  ])
})

it('books a record that it fails to complete as lost', async () => {
  const metrics = countedMetrics()
  const plugin = otelAudit(auditOptions(), makeContext({ metrics }))
  const exchange = auditedExchange()
  plugin.request(exchange)
  Object.defineProperty(exchange, 'violations', { get: () => undefined })
  expect(() => plugin.response?.(exchange)).not.toThrow()
  await plugin.close?.()
  expect([metrics.ok(), metrics.error()]).toEqual([0, 1])
})
