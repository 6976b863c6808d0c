import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { expect, test } from 'vitest'
import { startAdmin } from './harness/start-admin.ts'

const rateLimits = [
  { name: 'per-tenant', requests: 60, per_seconds: 3600, burst: 3 },
  { name: 'per-route', key: ['tenant', 'route'], requests: 600, per_seconds: 60 },
  { name: 'tokens-day', tokens: 1000, per: 'day', estimate: 10 },
  { name: 'money-month', cost: 1.5, per: 'month', estimate: 10 },
]

const read = async (adminUrl: string, query = '') =>
  JSON.parse((await sendRequest(`${adminUrl}/api/usage${query}`)).body.toString())

test('the use of each tenant is shown against its limits, today and this month', async () => {
  const { adminUrl, url } = await startAdmin({
    config: {
      gateway: {
        rate_limits: rateLimits,
        prices: { currency: 'EUR', models: [{ model: '*', input: 1, output: 2 }] },
      },
    },
  })
  const ask = (tenant: string) => fetch(`${url}/items/1`, { headers: { 'X-Tenant-ID': tenant } })
  const statuses: number[] = []
  for (const tenant of ['acme', 'acme', 'acme', 'acme', 'globex']) statuses.push((await ask(tenant)).status)
  expect(statuses).toEqual([200, 200, 200, 429, 200])
  const value = await eventually(
    () => read(adminUrl),
    ({ tenants }) => tenants[1]?.month.requests === 1,
  )
  expect(value.policies.map(({ name, unit, limit }: Record<string, unknown>) => [name, unit, limit])).toEqual(
    [
      ['per-tenant', 'requests', 60],
      ['per-route', 'requests', 600],
      ['tokens-day', 'tokens', 1000],
      ['money-month', 'cost', 1_500_000],
    ],
  )
  expect(value.currency).toBe('EUR')
  const counts = { requests: 4, refused: 1, inputTokens: 0, outputTokens: 0, costMicro: 60 }
  expect(value.tenants[0]).toMatchObject({ tenant: 'acme', today: counts, month: counts })
  expect(value.tenants[0].limits).toMatchObject([
    { policy: 'per-tenant', left: 0, most: 3 },
    { policy: 'tokens-day', left: 970, most: 1000 },
    { policy: 'money-month', left: 1_499_940, most: 1_500_000 },
  ])
  const { tenants } = await read(adminUrl, '?tenant=nobody')
  expect(tenants).toMatchObject([{ tenant: 'nobody', month: { requests: 0 }, limits: [{ left: 3 }, {}, {}] }])
})
