import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, it } from 'vitest'
import { askAtOnce } from './harness/ask-at-once.ts'

const routes = (target: string) => [
  { id: 'llm', method: 'POST', path: '/llm/completions', target, mode: 'sse' },
]
const active = (scrape: string, tenant = 'acme') =>
  metricValue(scrape, 'agentic_gateway_sse_connections_active', { tenant_id: tenant, route_id: 'llm' })

it('answers the stream above the limit with 429 and the seconds to wait', async () => {
  const upstream = await startEventUpstream()
  const { url, metrics, audit } = await startGateway({ routes: routes(upstream.url) })
  for (let index = 0; index < 10; index += 1) await openStream({ url: `${url}/llm/completions` })
  const full = await metrics()
  expect(active(full)).toBe(10)
  expect(full).toContain('\nagentic_gateway_sse_connections_limit{scope="local"} 10\n')
  const response = await fetch(`${url}/llm/completions`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'X-Tenant-ID': 'acme',
      'X-Correlation-ID': 'c',
      'X-Request-ID': 'r',
    },
  })
  expect(response.status).toBe(429)
  expect(response.headers.get('content-type')).toBe('application/vnd.agentic.error+json')
  expect(response.headers.get('retry-after')).toBe('60')
  expect(response.headers.get('x-agentic-profile')).toBe('v0.3')
  expect(await response.json()).toEqual({
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message:
      'The tenant asks for more than it may have at the moment: the limit max_sse_connections_per_tenant is reached.',
    retryAfter: 60,
    trace: { correlationId: 'c', requestId: 'r' },
  })
  const other = await openStream({ url: `${url}/llm/completions`, headers: { 'x-tenant-id': 'globex' } })
  expect(other.response.statusCode).toBe(200)
  const scrape = await metrics()
  expect(active(scrape)).toBe(10)
  expect(active(scrape, 'globex')).toBe(1)
  expect(metricValue(scrape, 'agentic_gateway_sse_errors_total', { error_kind: 'limit_exceeded' })).toBe(1)
  expect(
    metricValue(scrape, 'agentic_requests_total', { outcome: 'limit_exceeded', tenant_id: 'acme' }),
  ).toBe(1)
  expect(audit).toHaveLength(1)
  const attributes = { limit: 'max_sse_connections_per_tenant' }
  expect(audit[0]).toMatchObject({ outcome: 'error', request_id: 'r', attributes })
})

it('gives a slot back the moment a stream ends', async () => {
  const upstream = await startEventUpstream()
  const { url, metrics } = await startGateway({
    gateway: { llm: { max_sse_connections_per_tenant: 1 } },
    routes: routes(upstream.url),
  })
  for (let round = 0; round < 5; round += 1) {
    const client = await openStream({ url: `${url}/llm/completions` })
    expect(client.response.statusCode).toBe(200)
    const { response } = await upstream.opened(round)
    response.end('data: bye\n\n')
    await client.ended
    await eventually(metrics, (text) => active(text) === 0)
  }
})

it('opens exactly 10 of 1,000 streams that one tenant asks for at once, and none is left at the end', async () => {
  const upstream = await startEventUpstream()
  const { port, metrics } = await startGateway({ routes: routes(upstream.url) })
  const { statuses, leave } = await askAtOnce(1000, [port], '/llm/completions')
  expect(statuses.filter((status) => status === 200)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(990)
  expect(active(await metrics())).toBe(10)
  leave()
  await eventually(metrics, (text) => active(text) === 0)
  await Promise.all(upstream.streams.map(({ closed }) => closed))
})

it.each(['*/*', 'application/json'])(
  'counts an event stream that the client did not ask for by Accept: %s',
  async (accept) => {
    const upstream = await startEventUpstream()
    const { url, metrics } = await startGateway({
      gateway: { llm: { max_sse_connections_per_tenant: 1 } },
      routes: routes(upstream.url),
    })
    const ask = () => openStream({ url: `${url}/llm/completions`, headers: { accept, 'x-request-id': 'r' } })
    const first = await ask()
    expect(first.response.statusCode).toBe(200)
    expect(first.response.headers['x-accel-buffering']).toBe('no')
    expect(active(await metrics())).toBe(1)

    const second = await ask()
    expect(second.response.statusCode).toBe(429)
    expect(second.response.headers['retry-after']).toBe('60')
    expect(JSON.parse((await second.ended).text)).toMatchObject({ type: 'error', code: 'LIMIT_EXCEEDED' })
    await (await upstream.opened(1)).closed
    const scrape = await metrics()
    expect(active(scrape)).toBe(1)
    expect(metricValue(scrape, 'agentic_gateway_sse_errors_total', { error_kind: 'limit_exceeded' })).toBe(1)

    const { response } = await upstream.opened(0)
    response.write('data: one\n\n')
    await first.until('one')
    response.destroy()
    expect((await first.ended).text).toContain('event: error\ndata: {"type":"failed_dependency"')
    await eventually(metrics, (text) => active(text) === 0)
    expect((await ask()).response.statusCode).toBe(200)
  },
)
