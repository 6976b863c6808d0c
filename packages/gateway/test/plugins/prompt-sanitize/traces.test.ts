import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { development } from '../../admin/harness/start-admin.ts'

const json = { 'content-type': 'application/json' }

async function startSanitizing() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const rules = [
    { name: 'email', builtin: 'email' },
    { name: 'word', keywords: ['moonshine'] },
  ]
  const { gateway, url, audit, metrics } = await startGateway(
    {
      gateway: { admin: { port: 0 } },
      plugins: { 'prompt-sanitize': { rules } },
      routes: [{ id: 'ask', method: 'POST', path: '/questions', target: upstream.url }],
    },
    { admin: { development } },
  )
  return { url, audit, metrics, adminUrl: `http://127.0.0.1:${gateway.adminPort}` }
}

const padding = 'x'.repeat(100_000)

test.each<[string, string, object, string | undefined]>([
  ['one value in the body', '', { text: 'ask bob@example.test' }, 'email x1'],
  [
    'values of two rules in the body and the query',
    '?q=moonshine&from=bob%40example.test',
    { text: 'bob@example.test or ann@example.test', arguments: '{"to":"eve@example.test"}' },
    'word x1, email x4',
  ],
  ['a value in a large body', '', { padding, text: 'ask bob@example.test' }, 'email x1'],
  ['nothing', '?q=tea', { text: 'ask bob' }, undefined],
])('%s redacted is in the record, the metric and the detail', async (_name, query, body, redacted) => {
  const { url, audit, metrics, adminUrl } = await startSanitizing()
  const request = {
    method: 'POST',
    headers: { ...json, 'x-request-id': 'req-1' },
    body: JSON.stringify(body),
  }
  expect((await sendRequest(`${url}/questions${query}`, request)).status).toBe(200)
  await expect.poll(() => audit).toHaveLength(1)
  expect(Object(audit[0]?.['attributes']).redacted).toBe(redacted)
  const counts = [...(redacted ?? '').matchAll(/(\w+) x(\d+)/g)].map(([, rule, count]) => [
    rule,
    Number(count),
  ])
  for (const [rule, count] of counts)
    expect(
      metricValue(await metrics(), 'agentic_prompt_sanitize_redactions_total', { rule: String(rule) }),
    ).toBe(count)
  const detail = JSON.parse(String((await sendRequest(`${adminUrl}/api/exchanges/req-1`)).body))
  expect(detail.redacted).toBe(redacted)
  expect(detail.steps.find((step: { name: string }) => step.name === 'prompt-sanitize').detail).toBe(
    redacted && `redacted ${redacted}`,
  )
})

test('a refused request counts no redaction', async () => {
  const { url, metrics } = await startSanitizing()
  const body = '{"text":"bob@example.test"'
  expect((await sendRequest(`${url}/questions`, { method: 'POST', headers: json, body })).status).toBe(422)
  expect(metricValue(await metrics(), 'agentic_prompt_sanitize_redactions_total')).toBe(0)
})
