import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { printedSeed, seededRandom } from '@agentic-rest/testing/seeded-random'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway, type TestGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectRefusal } from './harness/expect-refusal.ts'

/** An upstream that keeps its requests until the test answers them. */
async function startHoldingUpstream() {
  const held: { request: ReceivedRequest; response: ServerResponse }[] = []
  const upstream = await startUpstream((request, response) => void held.push({ request, response }))
  const answerNext = () => {
    const next = held.shift()
    if (next !== undefined) answerJson(next.response, { body: { path: next.request.url } })
  }
  const holds = (count: number) =>
    eventually(
      () => held.length,
      (length) => length === count,
    )
  return { ...upstream, held, answerNext, holds }
}

const limits = (connections: number, queue: number) => ({
  limits: {
    max_upstream_connections_per_origin: connections,
    max_upstream_connections_per_tenant: connections,
    max_upstream_queue_per_origin: queue,
    max_upstream_queue_per_tenant: queue + 1,
  },
})

const queued = async ({ metrics }: TestGateway, upstream: string) =>
  metricValue(await metrics(), 'agentic_gateway_upstream_queued', { upstream })

const waits = (gateway: TestGateway, upstream: string, count: number) =>
  eventually(
    () => queued(gateway, upstream),
    (value) => value === count,
  )

describe('a slow upstream', () => {
  it('fills its own places and line, then gets 503 OVERLOADED with Retry-After; another one is not held up', async () => {
    const slow = await startHoldingUpstream()
    const quick = await startUpstream((_request, response) => answerJson(response, { body: { quick: true } }))
    const gateway = await startGateway({
      gateway: limits(2, 3),
      routes: [
        { id: 'slow', method: 'GET', path: '/slow/{n}', target: slow.url },
        { id: 'quick', method: 'GET', path: '/quick', target: quick.url },
      ],
    })
    const ask = (n: number) => sendRequest(`${gateway.url}/slow/${n}`)
    const answers = [ask(0), ask(1)]
    await slow.holds(2)
    for (let n = 2; n < 5; n += 1) {
      answers.push(ask(n))
      await waits(gateway, 'slow', n - 1)
    }
    const refused = await ask(5)
    expectRefusal(refused, 503, { code: 'OVERLOADED', limit: 'max_upstream_queue_per_origin' })
    expect(headerValues(refused, 'retry-after')).toEqual(['1'])
    for (let count = 0; count < 20; count += 1) {
      const answer = await sendRequest(`${gateway.url}/quick`)
      expect(answer).toMatchObject({ status: 200, complete: true })
    }
    expect(slow.requests).toHaveLength(2)
    for (let n = 0; n < 5; n += 1) {
      await eventually(
        () => slow.held.length,
        (length) => length > 0,
      )
      slow.answerNext()
    }
    const bodies = (await Promise.all(answers)).map(({ status, body }) => [status, JSON.parse(String(body))])
    expect(bodies).toEqual([0, 1, 2, 3, 4].map((n) => [200, { path: `/slow/${n}` }]))
    // Whoever came first was served first, and the one that was refused never arrived.
    expect(slow.requests.map(({ url }) => url).slice(2)).toEqual(['/slow/2', '/slow/3', '/slow/4'])
    expect(metricValue(await gateway.metrics(), 'agentic_requests_total', { outcome: 'unavailable' })).toBe(1)
    expect(await queued(gateway, 'slow')).toBe(0)
  })

  it('is not waited for by clients that leave: their place in the line is free at once', async () => {
    const slow = await startHoldingUpstream()
    const gateway = await startGateway({
      gateway: limits(1, 2),
      routes: [{ id: 'slow', method: 'GET', path: '/slow/{n}', target: slow.url }],
    })
    const running = sendRequest(`${gateway.url}/slow/0`)
    await slow.holds(1)
    for (let round = 1; round <= 20; round += 1) {
      const leaving = [new AbortController(), new AbortController()]
      const left = leaving.map(({ signal }) => sendRequest(`${gateway.url}/slow/left-${round}`, { signal }))
      await waits(gateway, 'slow', 2)
      for (const controller of leaving) controller.abort()
      for (const answer of left) await expect(answer).rejects.toThrow('aborted')
      await waits(gateway, 'slow', 0)
    }
    const stays = sendRequest(`${gateway.url}/slow/1`)
    await waits(gateway, 'slow', 1)
    slow.answerNext()
    await slow.holds(1)
    slow.answerNext()
    expect((await running).status).toBe(200)
    expect((await stays).status).toBe(200)
    expect(slow.requests.map(({ url }) => url)).toEqual(['/slow/0', '/slow/1'])
    const scrape = await gateway.metrics()
    expect(metricValue(scrape, 'agentic_requests_total', { outcome: 'client_disconnect' })).toBe(40)
  })

  it('cannot be overbooked by requests whose bodies take their time', async () => {
    const slow = await startHoldingUpstream()
    const gateway = await startGateway({
      gateway: limits(1, 1),
      routes: [{ id: 'slow', method: 'POST', path: '/slow', target: slow.url }],
    })
    const bodies = Array.from({ length: 4 }, () => new Readable({ read: () => undefined }))
    const answers = bodies.map((body) => {
      body.push('{')
      const headers = { 'content-length': '2', 'content-type': 'application/json' }
      return sendRequest(`${gateway.url}/slow`, { method: 'POST', headers, body })
    })
    await eventually(
      async () => metricValue(await gateway.metrics(), 'agentic_gateway_requests_in_flight'),
      (count) => count === 4,
    )
    for (const body of bodies) {
      body.push('}')
      body.push(null)
    }
    // Two are refused; the others are served one after the other.
    await eventually(
      async () => metricValue(await gateway.metrics(), 'agentic_requests_total', { outcome: 'unavailable' }),
      (count) => count === 2,
    )
    for (let count = 0; count < 2; count += 1) {
      await slow.holds(1)
      slow.answerNext()
    }
    const statuses = (await Promise.all(answers)).map(({ status }) => status)
    expect(statuses.toSorted()).toEqual([200, 200, 503, 503])
    expect(slow.requests).toHaveLength(2)
  })

  it('lets a request that waits end at its deadline', async () => {
    const slow = await startHoldingUpstream()
    const gateway = await startGateway({
      gateway: limits(1, 1),
      routes: [
        { id: 'slow', method: 'GET', path: '/slow', target: slow.url },
        { id: 'timed', method: 'GET', path: '/timed', target: slow.url, executionTimeoutSeconds: 1 },
      ],
    })
    const running = sendRequest(`${gateway.url}/slow`)
    await slow.holds(1)
    // Both routes go to one origin, so they share its places.
    expectRefusal(await sendRequest(`${gateway.url}/timed`), 500, 'EXECUTION_TIMEOUT')
    expect(await queued(gateway, 'slow')).toBe(0)
    slow.answerNext()
    expect((await running).status).toBe(200)
    expect(slow.requests.map(({ url }) => url)).toEqual(['/slow'])
  })

  it('is not sent what waited for it when the gateway shuts down', async () => {
    const slow = await startHoldingUpstream()
    const gateway = await startGateway({
      gateway: { ...limits(1, 5), drain_seconds: 0 },
      routes: [{ id: 'slow', method: 'GET', path: '/slow', target: slow.url }],
    })
    const answers = [sendRequest(`${gateway.url}/slow`)]
    await slow.holds(1)
    for (let count = 1; count <= 5; count += 1) answers.push(sendRequest(`${gateway.url}/slow`))
    await waits(gateway, 'slow', 5)
    // Each one that is cancelled gives its place to the next, which is cancelled in the same moment.
    const drained = gateway.gateway.drain()
    for (const answer of answers) expectRefusal(await answer, 503, 'SHUTTING_DOWN')
    await drained
    expect(slow.requests).toHaveLength(1)
  })

  it('has all its places again after 400 requests of which many were aborted at random moments', async () => {
    const random = seededRandom(printedSeed('random aborts'))
    const upstream = await startUpstream((request, response) => {
      if (request.url === '/r/hold') return
      // Wait: the upstream is slow on purpose, so that answers come out of order.
      setTimeout(() => answerJson(response, { body: { url: request.url } }), Math.floor(random() * 4))
    })
    const gateway = await startGateway({
      gateway: limits(4, 400),
      routes: [{ id: 'r', method: 'GET', path: '/r/{n}', target: upstream.url }],
    })
    const outcomes = await Promise.all(
      Array.from({ length: 400 }, (_, n) => {
        const signal = random() < 0.5 ? AbortSignal.timeout(Math.floor(random() * 150)) : undefined
        return sendRequest(`${gateway.url}/r/${n}`, signal && { signal }).then(
          ({ status, body }) => status === 200 && JSON.parse(String(body)).url === `/r/${n}`,
          () => 'left',
        )
      }),
    )
    expect(outcomes).not.toContain(false)
    expect(outcomes).toContain('left')
    await waits(gateway, 'r', 0)
    await eventually(
      async () => metricValue(await gateway.metrics(), 'agentic_gateway_requests_in_flight'),
      (count) => count === 0,
    )
    // A place that was lost would leave one of these four in the line.
    upstream.requests.length = 0
    for (let n = 0; n < 4; n += 1) sendRequest(`${gateway.url}/r/hold`).catch(() => undefined)
    await eventually(
      () => upstream.requests.length,
      (count) => count === 4,
    )
    expect(await queued(gateway, 'r')).toBe(0)
  })
})
