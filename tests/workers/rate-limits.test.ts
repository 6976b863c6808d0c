import { metricValue } from '@agentic-rest/testing/metric-value'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { ask, startWorkers } from './start-workers.ts'

test('workers together keep the limits of a tenant exactly, and report them once', async () => {
  const body = { usage: { prompt_tokens: 6, completion_tokens: 4 } }
  const upstream = await startUpstream((_request, response) => answerJson(response, { body }))
  const gateway = await startWorkers({
    target: upstream.url,
    workers: 3,
    gateway: {
      rate_limits: [
        { name: 'per-tenant', requests: 40, per_seconds: 3600, burst: 20, routes: ['read-item'] },
        { name: 'tokens-day', tokens: 1000, per: 'day', routes: ['events'], estimate: 100 },
      ],
    },
  })
  // Each request has a connection of its own: the workers take turns.
  const askAll = (count: number, path: string, method: string) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const headers = { 'x-tenant-id': 'acme', connection: 'close' }
        return (await fetch(`${gateway.url}${path}`, { method, headers })).status
      }),
    )
  const statuses = await askAll(90, '/items/1', 'GET')
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
  expect(statuses.filter((status) => status === 429)).toHaveLength(70)
  for (let round = 0; round < 9; round += 1) expect(await askAll(2, '/events', 'POST')).toEqual([200, 200])
  const { body: scrape } = await ask(`${gateway.url}/metrics`)
  expect(metricValue(scrape, 'agentic_budget_used_ratio', { policy: 'tokens-day' })).toBe(0.18)
  expect(
    metricValue(scrape, 'agentic_limit_decisions_total', { policy: 'per-tenant', result: 'allowed' }),
  ).toBe(20)
})
