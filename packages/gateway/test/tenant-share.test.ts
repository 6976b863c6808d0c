import type { ServerResponse } from 'node:http'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

const SHARE = { code: 'LIMIT_EXCEEDED', limit: 'max_in_flight_per_tenant', retryAfter: 1 } as const
const QUEUE = { code: 'LIMIT_EXCEEDED', limit: 'max_upstream_queue_per_tenant', retryAfter: 1 } as const

/** An upstream that keeps its requests until the test answers them. */
async function startHoldingUpstream() {
  const held: ServerResponse[] = []
  const upstream = await startUpstream((_request, response) => void held.push(response))
  const holds = (count: number) =>
    eventually(
      () => held.length,
      (length) => length === count,
    )
  const answerAll = () => {
    for (const response of held.splice(0)) answerJson(response, { body: { ok: true } })
  }
  return { ...upstream, holds, answerAll }
}

const of = (tenant: string) => ({ headers: { 'x-tenant-id': tenant } })

it('a tenant with its share in flight is refused with 429, others are served, and it works again when one ends', async () => {
  const upstream = await startHoldingUpstream()
  const { url, audit, metrics } = await startGateway({
    gateway: { limits: { max_in_flight: 8 } },
    plugins: { 'otel-audit': { include_rejected: true } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const first = [sendRequest(`${url}/r`), sendRequest(`${url}/r`)]
  await upstream.holds(2)
  const refused = await sendRequest(`${url}/r`)
  expectRefusal(refused, 429, SHARE)
  expect(headerValues(refused, 'retry-after')).toEqual(['1'])
  await eventually(
    () => audit.length,
    (length) => length === 1,
  )
  expect(audit[0]).toMatchObject({
    event_type: 'agentic.request.rejected',
    tenant_id: 'acme',
    attributes: { limit: 'max_in_flight_per_tenant' },
  })
  const others = ['globex', 'globex', 'initech'].map((tenant) => sendRequest(`${url}/r`, of(tenant)))
  await upstream.holds(5)
  upstream.answerAll()
  for (const { status } of await Promise.all([...first, ...others])) expect(status).toBe(200)
  const again = sendRequest(`${url}/r`)
  await upstream.holds(1)
  upstream.answerAll()
  expect((await again).status).toBe(200)
  const refusals = { outcome: 'limit_exceeded', tenant_id: 'acme' }
  expect(metricValue(await metrics(), 'agentic_requests_total', refusals)).toBe(1)
})

it('a client that leaves gives its part of the share back', async () => {
  const upstream = await startHoldingUpstream()
  const { url } = await startGateway({
    gateway: { limits: { max_in_flight_per_tenant: 1 } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  for (let round = 1; round <= 5; round += 1) {
    const leaving = new AbortController()
    const left = sendRequest(`${url}/r`, { signal: leaving.signal })
    await upstream.holds(round)
    expectRefusal(await sendRequest(`${url}/r`), 429, SHARE)
    leaving.abort()
    await expect(left).rejects.toThrow('aborted')
    await eventually(
      async () =>
        metricValue(await (await fetch(`${url}/metrics`)).text(), 'agentic_gateway_requests_in_flight'),
      (count) => count === 0,
    )
  }
})

it('an open stream does not count: it has a limit of its own', async () => {
  const upstream = await startEventUpstream()
  const { url } = await startGateway({
    gateway: { limits: { max_in_flight_per_tenant: 1 } },
    routes: [{ id: 'llm', method: 'POST', path: '/llm/completions', target: upstream.url, mode: 'sse' }],
  })
  for (let count = 0; count < 3; count += 1) {
    const { response } = await openStream({ url: `${url}/llm/completions` })
    expect(response.statusCode).toBe(200)
  }
})

it('a request that waits for its tenant counts only from the moment the tenant is known', async () => {
  const { url } = await startGateway({
    gateway: { limits: { max_in_flight_per_tenant: 1 } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:9' }],
  })
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => sendRequest(`${url}/r`, { headers: { 'x-tenant-id': '' } })),
  )
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
})

it('one tenant cannot fill the queue of a service, and another is served next', async () => {
  const upstream = await startHoldingUpstream()
  const { url, metrics, audit } = await startGateway({
    gateway: { limits: { max_upstream_connections_per_origin: 1, max_upstream_queue_per_origin: 8 } },
    routes: [{ id: 'r', method: 'GET', path: '/r/{n}', target: upstream.url }],
  })
  const queued = (count: number) =>
    eventually(
      async () => metricValue(await metrics(), 'agentic_gateway_upstream_queued', { upstream: 'r' }),
      (value) => value === count,
    )
  const noisy = [sendRequest(`${url}/r/0`)]
  await upstream.holds(1)
  for (let count = 1; count <= 2; count += 1) {
    noisy.push(sendRequest(`${url}/r/${count}`))
    await queued(count)
  }
  expectRefusal(await sendRequest(`${url}/r/3`), 429, QUEUE)
  await eventually(
    () => audit.length,
    (length) => length === 1,
  )
  expect(audit[0]).toMatchObject({ attributes: { limit: 'max_upstream_queue_per_tenant' } })
  const quiet = sendRequest(`${url}/r/quiet`, of('globex'))
  await queued(3)
  for (let count = 0; count < 4; count += 1) {
    await upstream.holds(1)
    upstream.answerAll()
  }
  for (const { status } of await Promise.all([...noisy, quiet])) expect(status).toBe(200)
  expect(upstream.requests.map(({ url }) => url)).toEqual(['/r/0', '/r/1', '/r/quiet', '/r/2'])
})

it('slow requests of one tenant leave connections to a service free for others', async () => {
  const upstream = await startHoldingUpstream()
  const { url } = await startGateway({
    gateway: { limits: { max_upstream_connections_per_origin: 20 } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const slow = Array.from({ length: 30 }, () => sendRequest(`${url}/r`))
  await upstream.holds(15)
  const others = Array.from({ length: 5 }, () => sendRequest(`${url}/r`, of('globex')))
  await upstream.holds(20)
  upstream.answerAll()
  for (const { status } of await Promise.all(others)) expect(status).toBe(200)
  await upstream.holds(15)
  upstream.answerAll()
  for (const { status } of await Promise.all(slow)) expect(status).toBe(200)
})
