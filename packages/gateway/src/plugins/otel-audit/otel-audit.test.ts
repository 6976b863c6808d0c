import { expect, onTestFinished, test } from 'vitest'
import { makeContext, makeExchange, makeRoute } from '../../../test/plugins/make-exchange.ts'
import { auditOptions } from '../../../test/plugins/otel-audit/drive.ts'
import { otelAudit } from './otel-audit.ts'

test.each([
  [{ enabled: false }, false, 'enabled is false'],
  [{ exporter: 'stdout' }, true, 'writes a record to stdout'],
  [{ exporter: 'otlp', otlp_endpoint: 'http://127.0.0.1:9' }, true, 'writes a record to otlp'],
] as const)('the plan with %j', async (options, runs, why) => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const plugin = otelAudit(auditOptions(options), context)
  expect(plugin.plan?.(makeRoute())).toEqual({ runs, why })
  await plugin.close?.()
})

test('a record that cannot be written is dropped and counted, and fails nothing', async () => {
  const context = makeContext()
  onTestFinished(() => context.close())
  const plugin = otelAudit(auditOptions({ exporter: 'stdout' }), context)
  const exchange = makeExchange()
  const { correlationId: correlation_id, requestId: request_id } = exchange.trace
  const event = {
    event_type: 'agentic.session.opened',
    tenant_id: '',
    actor_id: 'bob',
    request_id,
    correlation_id,
    operation: 'session',
    resource_id: '',
    outcome: 'success',
    timestamp: new Date().toISOString(),
  }
  // JSON has no form for such a value.
  expect(() => plugin.record?.({ ...event, attributes: { bad: 1n as never } }, exchange)).not.toThrow()
  expect(plugin.degraded?.()).toBe('otel-audit drops records')
  await plugin.close?.()
})
