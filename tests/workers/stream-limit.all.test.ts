import { request } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { printedSeed, seededRandom } from '@agentic-rest/testing/seeded-random'
import { startServer } from '@agentic-rest/testing/start-server'
import { openStream } from '@agentic-rest/testing/stream-client'
import { expect, onTestFinished, test } from 'vitest'
import { startWorkers } from './start-workers.ts'

const LIMIT = 10

/** Counts the open streams of each tenant, and their maximum. */
async function startCountingUpstream() {
  const open = new Map<string, number>()
  const most = new Map<string, number>()
  const { url } = await startServer((sent, response) => {
    const tenant = String(sent.headers['x-tenant-id'])
    const count = (open.get(tenant) ?? 0) + 1
    open.set(tenant, count)
    most.set(tenant, Math.max(count, most.get(tenant) ?? 0))
    sent.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const leave = () => {
      if (!left) open.set(tenant, (open.get(tenant) ?? 0) - 1)
      left = true
    }
    let left = false
    // The end of the connection is read before a later request; the close event of the answer comes after it.
    for (const event of ['end', 'error', 'close']) sent.socket.once(event, leave)
    response.once('close', leave)
  })
  return { url, most, open: (tenant: string) => open.get(tenant) ?? 0 }
}

/** Opens a stream; calls back with its status. Returns the function that leaves it. */
function attempt(url: string, tenant: string, onStatus: (status: number) => void): () => void {
  const headers = { accept: 'text/event-stream', 'x-tenant-id': tenant }
  const sent = request(`${url}/events`, { method: 'POST', agent: false, headers }, (answer) => {
    answer.resume().on('error', () => undefined)
    onStatus(answer.statusCode ?? 0)
  })
  sent.on('error', () => undefined).end()
  onTestFinished(() => void sent.destroy())
  return () => void sent.destroy()
}

test.each([2, 4])(
  '%i workers together keep the limit of a tenant, in any order of arrivals and ends',
  async (workers) => {
    const random = seededRandom(printedSeed(`streams of ${workers} workers`))
    const upstream = await startCountingUpstream()
    const gateway = await startWorkers({
      target: upstream.url,
      workers,
      gateway: { llm: { max_sse_connections_per_tenant: LIMIT } },
    })
    const statuses: number[] = []
    const stayed: number[] = []
    const leave: (() => void)[] = []
    for (let count = 0; count < 240; count += 1) {
      const tenant = count % 2 === 0 ? 'acme' : 'globex'
      const list = count < 200 ? statuses : stayed
      const close = attempt(gateway.url, tenant, (status) => list.push(status))
      // Wait: clients leave at random moments.
      if (count < 200) setTimeout(close, random() * 300)
      else leave.push(close)
    }
    const both = () => [upstream.open('acme'), upstream.open('globex')]
    await expect.poll(() => stayed.length).toBe(leave.length)
    for (const close of leave) close()
    await eventually(both, ([acme, globex]) => acme === 0 && globex === 0)
    expect([200, 429]).toEqual(expect.arrayContaining([...new Set([...statuses, ...stayed])]))
    for (const count of upstream.most.values()) expect(count).toBeLessThanOrEqual(LIMIT)
    await eventually(gateway.metrics, (text) => streamsOpen(text) === 0)

    const streams = []
    for (let count = 0; count < LIMIT; count += 1)
      streams.push(await openStream({ url: `${gateway.url}/events` }))
    expect(streams.map(({ response }) => response.statusCode)).toEqual(Array(LIMIT).fill(200))
    expect((await openStream({ url: `${gateway.url}/events` })).response.statusCode).toBe(429)
    expect(streamsOpen(await gateway.metrics())).toBe(LIMIT)

    // A dead worker loses only its own streams.
    const [victim = 0] = gateway.pids()
    process.kill(victim, 'SIGKILL')
    await eventually(
      () => upstream.open('acme'),
      (open) => open < LIMIT,
    )
    await gateway.replaced()
    expect(gateway.pids()).not.toContain(victim)
    const more = []
    for (let count = upstream.open('acme'); count < LIMIT; count += 1)
      more.push((await openStream({ url: `${gateway.url}/events` })).response.statusCode)
    expect(new Set(more)).toEqual(new Set([200]))
    expect((await openStream({ url: `${gateway.url}/events` })).response.statusCode).toBe(429)
  },
)

function streamsOpen(scrape: string): number {
  const lines = scrape
    .split('\n')
    .filter((line) => line.startsWith('agentic_gateway_sse_connections_active{'))
  return lines.reduce((sum, line) => sum + metricValue(line, 'agentic_gateway_sse_connections_active'), 0)
}
