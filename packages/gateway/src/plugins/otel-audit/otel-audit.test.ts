import { expect, onTestFinished, test } from 'vitest'
import { makeContext, makeRoute } from '../../../test/plugins/make-exchange.ts'
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
