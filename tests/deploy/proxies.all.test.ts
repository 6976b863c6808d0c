import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { proxies, startProxy } from './start-proxy.ts'

// The whole of 127.0.0.0/8 is this machine: the proxy connects from the first address, clients from others.
const PROXY_RANGE = '127.0.0.1/32'
const [CLIENT, STRANGER, INVENTED] = ['127.0.0.9', '127.0.0.7', '203.0.113.66']

/** As documented, longer than a proxy keeps idle connections or needs to notice. */
const DRAIN_DELAY_SECONDS = 5

interface Targets {
  readonly streams: string
  readonly items: string
}

function startOne({ streams, items }: Targets) {
  return startGateway({
    gateway: { trusted_proxies: [PROXY_RANGE], drain_delay_seconds: DRAIN_DELAY_SECONDS },
    routes: [
      { id: 'stream', method: 'POST', path: '/stream', target: streams, mode: 'sse' },
      { id: 'item', method: 'POST', path: '/items/{id}', target: items },
    ],
  })
}

async function startTwo() {
  const events = await startEventUpstream()
  const items = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const targets = { streams: events.url, items: items.url }
  const [one, two] = [await startOne(targets), await startOne(targets)]
  return { one, two, events, items, ports: [one.port, two.port] as const }
}

for (const name of proxies) {
  testWith(name, `${name} passes events on one by one`, async () => {
    const { events, ports } = await startTwo()
    const url = await startProxy(name, ports)
    const client = await openStream({ url: `${url}/stream` })
    const { response } = await events.opened()
    for (const number of [1, 2, 3]) {
      // The next event is written after this one has arrived.
      response.write(`data: ${number}\n\n`)
      await client.until(`data: ${number}\n\n`)
    }
    response.end()
    expect(await client.ended).toEqual({ complete: true, text: 'data: 1\n\ndata: 2\n\ndata: 3\n\n' })
  })

  testWith(
    name,
    `behind ${name} the record has the address of the client, whatever the client says it is`,
    async () => {
      const { one, two, ports } = await startTwo()
      const url = await startProxy(name, ports)
      const spoofed = { 'x-forwarded-for': INVENTED }
      expect(await post(`${url}/items/1`, { from: CLIENT })).toBe('200')
      expect(await post(`${url}/items/2`, { from: CLIENT, headers: spoofed })).toBe('200')
      // Past the proxy: this peer is not trusted.
      expect(await post(`${one.url}/items/3`, { from: STRANGER, headers: spoofed })).toBe('200')
      await expect.poll(() => one.audit.length + two.audit.length).toBe(3)
      const seen = [...one.audit, ...two.audit].map(({ attributes }) => attributes)
      for (const [client, count] of [
        [CLIENT, 2],
        [STRANGER, 1],
      ] as const) {
        const own = seen.filter((each) => isOf(each, client))
        expect(own, JSON.stringify(seen)).toHaveLength(count)
      }
    },
  )

  testWith(name, `${name} hides the endpoints of operators`, async () => {
    const { ports } = await startTwo()
    const url = await startProxy(name, ports)
    for (const path of ['/metrics', '/readyz', '/healthz'])
      expect((await fetch(`${url}${path}`)).status).toBe(404)
  })
}

testWith(
  proxies,
  'a gateway drains behind nginx and HAProxy: no request is lost, none is sent twice, a stream goes on',
  async () => {
    const { one, two, events, items, ports } = await startTwo()
    const urls = await Promise.all(proxies.map((name) => startProxy(name, ports)))
    // A stream at each gateway through each proxy, so that some belong to the one that drains.
    const streams = await Promise.all(
      [...urls, ...urls].map((url) => openStream({ url: `${url}/stream`, headers: { connection: 'close' } })),
    )
    const state = { stopped: false }
    const clients = urls.flatMap((url) => [1, 2, 3, 4].map(() => sendUntil(url, state)))
    await expect.poll(() => one.audit.length).toBeGreaterThan(20)
    const drained = one.gateway.drain()
    // Wait: the time is the subject: streams outlast the delay of the drain.
    await pause(DRAIN_DELAY_SECONDS * 1000)
    for (const { response } of events.streams) response.end('data: last\n\n')
    await drained
    const before = two.audit.length
    await expect.poll(() => two.audit.length).toBeGreaterThan(before + 20)
    state.stopped = true
    const statuses = (await Promise.all(clients)).flat()
    expect(new Set(statuses)).toEqual(new Set(['200']))
    expect(items.requests.length).toBe(statuses.length)
    for (const stream of streams)
      expect(await stream.ended).toEqual({ complete: true, text: 'data: last\n\n' })
  },
)

function isOf(attributes: unknown, client: string): boolean {
  return Reflect.get(Object(attributes), 'client_address') === client
}

/** Sends requests one after the other until it is told to stop; resolves with their statuses. */
async function sendUntil(url: string, state: { readonly stopped: boolean }): Promise<string[]> {
  const statuses: string[] = []
  while (!state.stopped) {
    statuses.push(await post(`${url}/items/${statuses.length}`, { from: CLIENT }))
    // Wait: clients ask at a pace.
    await pause(20)
  }
  return statuses
}

interface Sent {
  readonly from: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The status of a POST on a connection of its own, from an address of this machine, and the reason of a failure. */
function post(url: string, { from, headers = {} }: Sent): Promise<string> {
  return new Promise((resolve, reject) => {
    const body = '{}'
    const sent = request(url, {
      method: 'POST',
      agent: false,
      localAddress: from,
      headers: { 'content-type': 'application/json', 'x-tenant-id': 'acme', ...headers },
    })
    sent.on('error', reject)
    sent.on('response', async (response) => {
      const { statusCode } = response
      const answer = await text(response).catch(() => 'broken off')
      resolve(statusCode === 200 && answer !== 'broken off' ? '200' : `${statusCode} ${answer}`)
    })
    sent.end(body)
  })
}
