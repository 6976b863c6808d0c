import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'

const perTenant = { name: 'per-tenant', requests: 6, per_seconds: 3600, burst: 2 }

const ask = (url: string, tenant = 'acme', path = '/items') =>
  fetch(`${url}${path}`, {
    headers: { 'X-Tenant-ID': tenant, 'X-Correlation-ID': 'c', 'X-Request-ID': 'r' },
  })

const statuses = async (url: string, count: number, tenant?: string, path?: string) => {
  const found: number[] = []
  for (let index = 0; index < count; index += 1) found.push((await ask(url, tenant, path)).status)
  return found
}

async function startLimited(rateLimits: readonly object[], more: Record<string, unknown> = {}) {
  const upstream = await startUpstream((_request, response) => {
    response.setHeader('RateLimit', '"foreign";r=1')
    response.setHeader('ratelimit-policy', '"foreign";q=1')
    answerJson(response, { body: {} })
  })
  const gateway = await startGateway({
    gateway: { rate_limits: rateLimits, ...more },
    plugins: { 'otel-audit': { include_rejected: true } },
    routes: [
      { id: 'items', method: 'GET', path: '/items', target: upstream.url },
      { id: 'free', method: 'GET', path: '/free', target: upstream.url },
    ],
  })
  return { upstream, ...gateway }
}

test('the request above a limit is refused with the name of the policy and the seconds to wait', async () => {
  const { url, audit, metrics, upstream } = await startLimited([perTenant])
  expect(await statuses(url, 2)).toEqual([200, 200])
  const refused = await ask(url)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
  const body = (await refused.json()) as { retryAfter: number }
  expect(body).toEqual({
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message: 'The tenant asks for more than it may have at the moment: the limit per-tenant is reached.',
    retryAfter: body.retryAfter,
    trace: { correlationId: 'c', requestId: 'r' },
  })
  expect(body.retryAfter).toBeGreaterThan(590)
  expect(body.retryAfter).toBeLessThanOrEqual(600)
  expect(refused.headers.get('retry-after')).toBe(String(body.retryAfter))
  expect(upstream.requests).toHaveLength(2)
  expect((await ask(url, 'globex')).status).toBe(200)
  await eventually(
    () => audit,
    (lines) => lines.length === 4,
  )
  expect(audit[2]).toMatchObject({ tenant_id: 'acme', attributes: { limit: 'per-tenant' } })
  const scrape = await metrics()
  const decided = (result: string) =>
    metricValue(scrape, 'agentic_limit_decisions_total', { policy: 'per-tenant', result })
  expect([decided('allowed'), decided('refused')]).toEqual([3, 1])
})

test('every answer of a limited route has the limits and their state, and no copy of the upstream', async () => {
  const { url } = await startLimited([
    perTenant,
    {
      name: 'items-only',
      key: ['tenant', 'route'],
      requests: 600,
      per_seconds: 60,
      burst: 60,
      routes: ['items'],
    },
  ])
  const first = await ask(url)
  expect(first.headers.get('ratelimit-policy')).toBe('"per-tenant";q=6;w=3600, "items-only";q=600;w=60')
  expect(first.headers.get('ratelimit')).toMatch(/^"per-tenant";r=1;t=600, "items-only";r=59;t=1$/)
  await ask(url)
  const refused = await ask(url)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit')).toMatch(
    /^"per-tenant";r=0;t=1(?:199|200), "items-only";r=(?:58|59|60);t=[01]$/,
  )
  const free = await ask(url, 'globex', '/free')
  expect(free.headers.get('ratelimit-policy')).toBe('"per-tenant";q=6;w=3600')
})

test('an unlimited route passes the headers of its upstream', async () => {
  const { url } = await startLimited([{ ...perTenant, routes: ['items'] }])
  const free = await ask(url, 'acme', '/free')
  expect(free.headers.get('ratelimit')).toBe('"foreign";r=1')
  expect(free.headers.get('ratelimit-policy')).toBe('"foreign";q=1')
  expect(await statuses(url, 4, 'acme', '/free')).toEqual([200, 200, 200, 200])
})

test('a refused request charges no other policy', async () => {
  const { url } = await startLimited([
    { name: 'narrow', requests: 6, per_seconds: 3600, burst: 1, routes: ['items'] },
    { name: 'wide', requests: 3600, per_seconds: 3600, burst: 4 },
  ])
  expect(await statuses(url, 6)).toEqual([200, 429, 429, 429, 429, 429])
  expect(await statuses(url, 4, 'acme', '/free')).toEqual([200, 200, 200, 429])
})

test('a refused request is looked up nowhere', async () => {
  const service = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const gateway = await startGateway({
    gateway: { rate_limits: [{ ...perTenant, burst: 1 }] },
    plugins: { 'license-check': { webhook: { url: `${service.url}/licences/{tenant}/{feature}` } } },
    routes: [
      { id: 'items', method: 'GET', path: '/items', target: service.url, license: 'items' },
      { id: 'free', method: 'GET', path: '/free', target: service.url },
    ],
  })
  expect(await statuses(gateway.url, 1, 'acme', '/free')).toEqual([200])
  expect(await statuses(gateway.url, 1)).toEqual([429])
  expect(service.requests.map(({ url }) => url)).toEqual(['/free'])
})
