import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { openStream } from '@agentic-rest/testing/stream-client'
import { untilStill } from '@agentic-rest/testing/until-still'
import { expect, test } from 'vitest'
import {
  createLocalStreamSlots,
  type ReleaseSlot,
  type StreamSlots,
} from '../src/limits/streams/stream-slots.ts'
import { expectLimitExceeded, expectRefusal, readFetched } from './harness/expect-outcome.ts'

/** A store as if outside the process: each request for a slot waits for the test's answer. */
function createHeldBackSlots() {
  const questions: (() => void)[] = []
  const waiting: ((answer: () => void) => void)[] = []
  let local: StreamSlots | undefined
  const streamSlots = (limit: () => number): StreamSlots => {
    local = createLocalStreamSlots(limit)
    const { take, ...rest } = local
    return {
      ...rest,
      take: (tenantId) =>
        new Promise<ReleaseSlot | undefined>((resolve) => {
          const answer = () => resolve(take(tenantId))
          const next = waiting.shift()
          if (next === undefined) questions.push(answer)
          else next(answer)
        }),
    }
  }
  /** Resolves with the function that answers the next request for a slot. */
  const asked = () =>
    new Promise<() => void>((resolve) => {
      const question = questions.shift()
      if (question === undefined) waiting.push(resolve)
      else resolve(question)
    })
  return { streamSlots, asked, held: () => local?.held('acme') }
}

async function start() {
  const upstream = await startEventUpstream()
  const slots = createHeldBackSlots()
  const gateway = await startGateway(
    {
      gateway: { llm: { max_sse_connections_per_tenant: 1 } },
      routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
    },
    { streamSlots: slots.streamSlots },
  )
  return { upstream, slots, gateway }
}

const outcomes = (scrape: string, outcome: string) =>
  metricValue(scrape, 'agentic_requests_total', { outcome })
const askForStream = (url: string, signal?: AbortSignal) =>
  fetch(`${url}/llm`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'X-Tenant-ID': 'acme' },
    signal: signal ?? null,
  })

test('a stream waits for the answer of a remote store and is refused above the limit', async () => {
  const { slots, gateway } = await start()
  const opening = openStream({ url: `${gateway.url}/llm` })
  const first = await slots.asked()
  expect(slots.held()).toBe(0)
  first()
  expect((await opening).response.statusCode).toBe(200)
  expect(slots.held()).toBe(1)
  const refused = askForStream(gateway.url)
  const second = await slots.asked()
  second()
  expectLimitExceeded(await readFetched(await refused))
})

test('a slot granted after its client left is released at once, and the upstream gets no request', async () => {
  const { slots, gateway, upstream } = await start()
  const leaving = new AbortController()
  const request = askForStream(gateway.url, leaving.signal).catch((error: Error) => error.name)
  const grant = await slots.asked()
  leaving.abort()
  expect(await request).toBe('AbortError')
  await eventually(gateway.metrics, (text) => outcomes(text, 'client_disconnect') === 1)
  grant()
  await eventually(gateway.metrics, () => slots.held() === 0)
  expect(upstream.streams).toHaveLength(0)
  const opening = openStream({ url: `${gateway.url}/llm` })
  const next = await slots.asked()
  next()
  expect((await opening).response.statusCode).toBe(200)
  const scrape = await gateway.metrics()
  expect(metricValue(scrape, 'agentic_gateway_sse_connections_active')).toBe(1)
  expect(scrape).not.toContain('agentic_gateway_sse_errors_total{')
})

test('a gateway that closes during a request for a slot answers the client and releases a late slot', async () => {
  const { slots, gateway } = await start()
  const request = askForStream(gateway.url)
  const grant = await slots.asked()
  void gateway.gateway.close()
  expectRefusal(await readFetched(await request), 503, 'SHUTTING_DOWN')
  grant()
  await new Promise(setImmediate)
  expect(slots.held()).toBe(0)
})

test('an unasked event stream waits for the answer of a remote store, and none of it is lost', async () => {
  const { slots, gateway, upstream } = await start()
  const opening = openStream({ url: `${gateway.url}/llm`, headers: { accept: '*/*' } })
  const grant = await slots.asked()
  const { response } = await upstream.opened()
  // More than the sockets between upstream and gateway buffer: the rest waits at the upstream.
  const event = `data: ${'x'.repeat(65_528)}\n\n`
  const sent = 256
  for (let index = 0; index < sent; index += 1) response.write(event)
  response.end()
  expect(await untilStill(() => response.writableLength)).toBeGreaterThan(0)
  grant()
  const { text, complete } = await (await opening).ended
  expect(complete).toBe(true)
  expect(text.length).toBe(sent * event.length)
})

test('a client that leaves while the slot of its unasked stream is asked for aborts the upstream', async () => {
  const { slots, gateway, upstream } = await start()
  const leaving = new AbortController()
  const request = fetch(`${gateway.url}/llm`, {
    method: 'POST',
    headers: { 'X-Tenant-ID': 'acme' },
    signal: leaving.signal,
  }).catch((error: Error) => error.name)
  const grant = await slots.asked()
  const { closed } = await upstream.opened()
  leaving.abort()
  expect(await request).toBe('AbortError')
  await closed
  grant()
  await eventually(gateway.metrics, () => slots.held() === 0)
})
