import { get, type IncomingMessage } from 'node:http'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openSocket } from '../harness/raw-client.ts'
import { sendItem, startAdmin } from './harness/start-admin.ts'

interface OpenFeed {
  readonly response: IncomingMessage
  /** The data of all events of one kind received so far. */
  events(kind: string): Record<string, unknown>[]
  readonly ended: Promise<void>
  leave(): void
}

function openFeed(adminUrl: string): Promise<OpenFeed> {
  return new Promise((resolve, reject) => {
    const request = get(`${adminUrl}/api/feed`, { agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('error', () => undefined)
      const ended = new Promise<void>((done) => response.on('close', done))
      resolve({
        response,
        ended,
        leave: () => void request.destroy(),
        events: (kind) =>
          [...text.matchAll(new RegExp(`^event: ${kind}\ndata: (.*)\n\n`, 'gm'))].map(([, data = '']) =>
            JSON.parse(data),
          ),
      })
    })
    request.on('error', reject)
    onTestFinished(() => void request.destroy())
  })
}

const rowsOf = (feed: OpenFeed, count: number) =>
  eventually(
    () => feed.events('request'),
    ({ length }) => length >= count,
  )

describe('the feed', () => {
  test('shows each finished request, and one summary a second', async () => {
    const { adminUrl, url } = await startAdmin()
    const feed = await openFeed(adminUrl)
    expect([feed.response.statusCode, feed.response.headers]).toMatchObject([
      200,
      { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    ])
    await sendItem(url, 'corr-1', '7')
    expect(await rowsOf(feed, 1)).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        spanId: expect.stringMatching(/^[\da-f]{16}$/),
        route: 'read-item',
        method: 'GET',
        path: '/items/7',
        status: 200,
        outcome: 'success',
        tenant: 'acme',
        actor: '',
        correlationId: 'corr-1',
        requestId: 'req-corr-1',
        durationMs: expect.any(Number),
        upstreamMs: expect.any(Number),
        pluginMs: expect.any(Number),
        streamed: false,
      },
    ])
    const [summary] = await eventually(
      () => feed.events('summary').filter(({ requests }) => requests === 1),
      ({ length }) => length === 1,
    )
    const percentiles = { p50: expect.any(Number), p99: expect.any(Number) }
    expect(summary).toEqual({
      at: expect.stringMatching(/Z$/),
      requests: 1,
      shown: 1,
      outcomes: { success: 1 },
      latency: percentiles,
      upstream: percentiles,
      plugins: percentiles,
      inFlight: 0,
      streams: [],
    })
  })

  test('leaves the query out, and shows a request that found no route', async () => {
    const { adminUrl, url } = await startAdmin()
    const feed = await openFeed(adminUrl)
    await fetch(`${url}/nowhere?token=secret`)
    expect(await rowsOf(feed, 1)).toMatchObject([
      {
        route: 'unmatched',
        path: '/nowhere',
        status: 404,
        outcome: 'not_found',
        upstreamMs: null,
        tenant: '',
      },
    ])
  })

  test('is sampled: a burst sends about 50 rows and counts all requests', async () => {
    const { adminUrl, url } = await startAdmin()
    const feed = await openFeed(adminUrl)
    const startedAt = performance.now()
    const count = 200
    for (let sent = 0; sent < count; sent += 50)
      await Promise.all(Array.from({ length: 50 }, (_, index) => sendItem(url, `c-${sent + index}`)))
    const total = (key: string) => feed.events('summary').reduce((sum, each) => sum + Number(each[key]), 0)
    await eventually(
      () => total('requests'),
      (requests) => requests === count,
    )
    const seconds = (performance.now() - startedAt) / 1000
    const rows = feed.events('request').length
    expect(rows).toBe(total('shown'))
    expect(rows).toBeGreaterThanOrEqual(50)
    expect(rows).toBeLessThanOrEqual(50 + 50 * seconds)
  })

  test('has no requests from before the first reader or between two readers', async () => {
    const { adminUrl, url } = await startAdmin()
    await sendItem(url, 'before')
    const first = await openFeed(adminUrl)
    await sendItem(url, 'seen')
    await rowsOf(first, 1)
    first.leave()
    await first.ended
    await sendItem(url, 'between')
    const second = await openFeed(adminUrl)
    await sendItem(url, 'again')
    expect((await rowsOf(second, 1)).map(({ correlationId }) => correlationId)).toEqual(['again'])
    expect(first.events('request').map(({ correlationId }) => correlationId)).toEqual(['seen'])
    const summaries = await eventually(
      () => second.events('summary'),
      ({ length }) => length >= 1,
    )
    expect(summaries.reduce((sum, { requests }) => sum + Number(requests), 0)).toBe(1)
  })

  test('counts the open streams of each tenant against the limit', async () => {
    const upstream = await startEventUpstream()
    const { adminUrl, url } = await startAdmin({
      config: {
        gateway: { llm: { max_sse_connections_per_tenant: 3 } },
        routes: [{ id: 'stream', method: 'POST', path: '/s', target: upstream.url, mode: 'sse' }],
      },
    })
    const feed = await openFeed(adminUrl)
    const streams = await Promise.all([1, 2].map(() => openStream({ url: `${url}/s` })))
    streams.push(await openStream({ url: `${url}/s`, headers: { 'x-tenant-id': 'globex' } }))
    const seen = () => feed.events('summary').at(-1)?.['streams'] as unknown[] | undefined
    expect(await eventually(seen, (each) => each?.length === 2)).toEqual([
      { tenant: 'acme', open: 2, limit: 3 },
      { tenant: 'globex', open: 1, limit: 3 },
    ])
    for (const stream of streams) stream.leave()
    await eventually(seen, (each) => each?.length === 0)
    expect((await rowsOf(feed, 3)).map(({ streamed, outcome }) => [streamed, outcome])).toEqual(
      Array.from({ length: 3 }, () => [true, 'client_disconnect']),
    )
  })
})

test('a complete stream is shown as streamed everywhere, a broken stream is not', async () => {
  const frames = ['data: 1\n\n', 'data: 2\n\n']
  const upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(frames[0])
    if (request.url === '/whole') response.end(frames[1])
    else setImmediate(() => response.destroy())
  })
  const route = (id: string) => ({ id, method: 'GET', path: `/${id}`, target: upstream.url, mode: 'sse' })
  const { adminUrl, url } = await startAdmin({ config: { routes: [route('whole'), route('broken')] } })
  const feed = await openFeed(adminUrl)
  for (const id of ['whole', 'broken']) {
    const headers = { accept: 'text/event-stream', 'x-tenant-id': 'acme', 'x-correlation-id': id }
    await sendRequest(`${url}/${id}`, { headers })
  }
  const shown = [
    ['whole', 'streamed', true],
    ['broken', 'failed_dependency', true],
  ]
  expect((await rowsOf(feed, 2)).map(({ route: id, outcome, streamed }) => [id, outcome, streamed])).toEqual(
    shown,
  )
  const counted = () => Object.assign({}, ...feed.events('summary').map(({ outcomes }) => outcomes))
  await eventually(counted, (outcomes) => Object.keys(outcomes).length === 2)
  expect(counted()).toEqual({ streamed: 1, failed_dependency: 1 })
  const { body } = await sendRequest(`${adminUrl}/api/recent`)
  const { exchanges } = JSON.parse(body.toString()) as {
    exchanges: { requests: Record<string, unknown>[] }[]
  }
  expect(
    exchanges.flatMap(({ requests }) => requests.map(({ route: id, outcome }) => [id, outcome])),
  ).toEqual(shown.toReversed().map(([id, outcome]) => [id, outcome]))
})

describe('readers of the feed', () => {
  test('are sixteen at most, and a new reader can replace one that left', async () => {
    const { adminUrl } = await startAdmin()
    const feeds = await Promise.all(Array.from({ length: 16 }, () => openFeed(adminUrl)))
    const { status, headers, body } = await sendRequest(`${adminUrl}/api/feed`)
    expect([status, headers['retry-after'], JSON.parse(body.toString())]).toEqual([
      503,
      '5',
      { code: 'UNAVAILABLE', message: 'Too many read the feed already.' },
    ])
    feeds[3]?.leave()
    const again = await eventually(
      async () => await openFeed(adminUrl),
      ({ response }) => response.statusCode === 200,
    )
    expect(again.response.headers['content-type']).toBe('text/event-stream')
  })

  test('that stall do not slow the others', async () => {
    const { adminUrl, adminPort, url } = await startAdmin()
    const stalled = await openSocket(adminPort)
    stalled.pause()
    stalled.write('GET /api/feed HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const reader = await openFeed(adminUrl)
    const item = 'x'.repeat(400)
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 10 }, (_, index) => sendItem(url, `${round}-${index}`, item)))
    await rowsOf(reader, 50)
    expect(reader.events('request').length).toBeGreaterThanOrEqual(50)
  })

  test('are disconnected at once when the gateway closes', async () => {
    const { adminUrl, gateway } = await startAdmin()
    const feed = await openFeed(adminUrl)
    await gateway.close()
    await feed.ended
    await expect(fetch(adminUrl)).rejects.toThrow()
  })

  test('are disconnected by a drain, after the requests in flight', async () => {
    const { adminUrl, gateway } = await startAdmin()
    const feed = await openFeed(adminUrl)
    await gateway.drain()
    await feed.ended
    await expect(fetch(adminUrl)).rejects.toThrow()
  })

  test('get the head alone with HEAD', async () => {
    const { adminUrl } = await startAdmin()
    const { status, headers, body } = await sendRequest(`${adminUrl}/api/feed`, { method: 'HEAD' })
    expect([status, headers['content-type'], body.length]).toEqual([200, 'text/event-stream', 0])
  })
})
