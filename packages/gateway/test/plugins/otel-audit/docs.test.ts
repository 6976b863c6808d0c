import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseConfig } from '../../../src/config/parse-config.ts'
import { otelAudit } from '../../../src/plugins/otel-audit/otel-audit.ts'
import { makeContext, makeExchange, makeHeaders, makeIdentity } from '../make-exchange.ts'
import { startCollector } from './collector.ts'
import { auditedExchange, drive } from './drive.ts'

const page = readFileSync(join(import.meta.dirname, '../../../../../docs/plugins/otel-audit.md'), 'utf8')

it('does with the example on its page what the page says', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.kill())
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(page) ?? []
  expect(yaml).toContain('http://127.0.0.1:4317')
  const text = yaml.replace('http://127.0.0.1:4317', collector.url)
  const result = parseConfig(text, { file: 'otel-audit.md', env: {} })
  if (!result.ok) throw new Error(JSON.stringify(result.faults))
  const plugin = otelAudit(result.config.plugins['otel-audit'], makeContext())
  const headers = makeHeaders({ 'X-Region': 'eu', 'X-Case-Number': 'case-7' })
  const identity = makeIdentity({ claims: { sub: 'alice', account: { plan: 'gold' } } })
  await drive(plugin, auditedExchange({ headers, identity }))
  plugin.response?.(
    makeExchange({ result: { status: 401, label: 'unauthenticated', outcomeType: undefined } }),
  )
  await plugin.close?.()
  const [passed, rejected] = collector.spans.map(({ attributes }) => attributes)
  expect(passed).toEqual(
    expect.objectContaining({
      event_type: 'agentic.request',
      resource_id: 'case-7',
      'attributes.region': 'eu',
      'attributes.plan': 'gold',
    }),
  )
  expect(rejected).toEqual(
    expect.objectContaining({ event_type: 'agentic.request.rejected', tenant_id: '', resource_id: 'c-1' }),
  )
})
