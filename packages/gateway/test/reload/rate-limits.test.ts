import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { applied, startReloadable } from './start-reloadable.ts'

const policy = { name: 'per-tenant', requests: 10, per_seconds: 3600, burst: 4, routes: ['read-item'] }
const budget = { name: 'tokens-day', tokens: 1000, per: 'day', routes: ['llm'], estimate: 400 }

test('a policy keeps its counts while its name stays, and changed numbers apply at once', async () => {
  const upstream = await startServer((request, response) => {
    request.resume()
    answerJson(response, { body: {} })
  })
  const routes = [
    { id: 'read-item', method: 'GET', path: '/items', target: upstream.url },
    { id: 'llm', method: 'POST', path: '/llm', target: upstream.url },
  ]
  const withPolicies = (...rate_limits: object[]) => ({ gateway: { rate_limits }, routes })
  const gateway = await startReloadable(withPolicies(policy, budget))
  const ask = async () => (await fetch(`${gateway.url}/items`, { headers: { 'X-Tenant-ID': 'acme' } })).status
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 200])
  expect(await gateway.reloadTo(withPolicies({ ...policy, burst: 5 }, budget))).toMatchObject(applied)
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  expect(await gateway.reloadTo(withPolicies({ ...policy, burst: 2 }, budget))).toMatchObject(applied)
  expect(await ask()).toBe(429)
  expect(await gateway.reloadTo(withPolicies({ ...policy, name: 'other', burst: 1 }))).toMatchObject(applied)
  expect([await ask(), await ask()]).toEqual([200, 429])
  expect(await gateway.reloadTo(withPolicies())).toMatchObject(applied)
  expect([await ask(), await ask()]).toEqual([200, 200])
})

test('a request that outlives its configuration settles its reservation', async () => {
  const answers = Promise.withResolvers<void>()
  const upstream = await startServer(async (request, response) => {
    request.resume()
    await answers.promise
    answerJson(response, { body: { usage: { prompt_tokens: 1, completion_tokens: 9 } } })
  })
  const routes = [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url }]
  const gateway = await startReloadable({ gateway: { rate_limits: [budget] }, routes })
  const used = async () =>
    metricValue(await gateway.metrics(), 'agentic_budget_used_ratio', { policy: 'tokens-day' })
  const asked = fetch(`${gateway.url}/llm`, { method: 'POST', headers: { 'X-Tenant-ID': 'acme' } })
  await eventually(used, (ratio) => ratio === 0.4)
  const next = { gateway: { rate_limits: [{ ...budget, tokens: 500 }] }, routes }
  expect(await gateway.reloadTo(next)).toMatchObject(applied)
  answers.resolve()
  expect((await asked).status).toBe(200)
  await eventually(used, (ratio) => ratio === 0.01)
})
