import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { untilStill } from '@agentic-rest/testing/until-still'
import { describe, expect, it } from 'vitest'
import { ownTime } from './harness/own-time.ts'
import { openSocket } from './harness/raw-client.ts'

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const WITHIN_MS = 200

/** A gateway to an upstream with one place, and how many requests the upstream got and lost. */
async function startPair(listener: Listener) {
  const seen = { requests: 0, closed: 0 }
  const upstream = await startServer((request, response) => {
    seen.requests += 1
    request.on('error', () => undefined)
    response.on('close', () => {
      seen.closed += 1
    })
    listener(request, response)
  })
  const gateway = await startGateway({
    gateway: { limits: { max_upstream_connections_per_origin: 1, max_upstream_queue_per_origin: 1 } },
    routes: [
      { id: 'r', method: 'GET', path: '/r', target: upstream.url, executionTimeoutSeconds: 600 },
      { id: 'p', method: 'POST', path: '/r', target: upstream.url, executionTimeoutSeconds: 600 },
    ],
  })
  return { ...gateway, seen, upstream }
}

type Pair = Awaited<ReturnType<typeof startPair>>

/** The upstream saw the end in time, and nothing of the request is left in the gateway. */
async function expectNothingLeft({ seen, metrics, audit }: Pair, leave: () => void): Promise<void> {
  const took = await ownTime(async () => {
    leave()
    await eventually(
      () => seen.closed,
      (count) => count === 1,
    )
  })
  expect(took).toBeLessThan(WITHIN_MS)
  await eventually(
    async () => metricValue(await metrics(), 'agentic_gateway_requests_in_flight'),
    (count) => count === 0,
  )
  const scrape = await metrics()
  expect(metricValue(scrape, 'agentic_requests_total', { outcome: 'client_disconnect' })).toBe(1)
  expect(metricValue(scrape, 'agentic_gateway_upstream_connections')).toBe(0)
  expect(metricValue(scrape, 'agentic_gateway_upstream_queued')).toBe(0)
  expect(audit).toMatchObject([{ outcome: 'error', attributes: {} }])
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

const get = 'GET /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\n\r\n'

describe('a client that leaves', () => {
  it('before the head of the answer ends the upstream request at once', async () => {
    const pair = await startPair(() => undefined)
    const before = timers()
    const socket = await openSocket(pair.port)
    socket.write(get)
    await eventually(
      () => pair.seen.requests,
      (count) => count === 1,
    )
    await expectNothingLeft(pair, () => socket.destroy())
    // The deadline of ten minutes is gone with its request.
    await eventually(timers, (count) => count <= before)
  })

  it('by closing only its own side ends the upstream request too', async () => {
    const pair = await startPair(() => undefined)
    const socket = await openSocket(pair.port)
    socket.write(get)
    await eventually(
      () => pair.seen.requests,
      (count) => count === 1,
    )
    await expectNothingLeft(pair, () => socket.end())
  })

  it('within the body ends the upstream request at once', async () => {
    const pair = await startPair((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('[1,')
    })
    const socket = await openSocket(pair.port)
    socket.write(get)
    await once(socket, 'data')
    await expectNothingLeft(pair, () => socket.resetAndDestroy())
  })

  it('while it reads nothing and the upstream is held back ends the upstream request at once', async () => {
    let blocks = 0
    const pair = await startPair((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/octet-stream' })
      const push = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) blocks += 1
        response.once('drain', push)
      }
      push()
    })
    const socket = await openSocket(pair.port)
    socket.write(get)
    await once(socket, 'readable')
    await untilStill(() => blocks)
    await expectNothingLeft(pair, () => socket.destroy())
  })

  it('while a typed body is read to be checked ends the upstream request at once', async () => {
    const pair = await startPair((_request, response) => {
      response.writeHead(500, { 'content-type': 'application/vnd.agentic.error+json' })
      response.write('{"type":', () => response.emit('written'))
      written = once(response, 'written')
    })
    let written: Promise<unknown> | undefined
    const socket = await openSocket(pair.port)
    socket.write(get)
    await eventually(
      () => pair.seen.requests,
      (count) => count === 1,
    )
    await written
    await expectNothingLeft(pair, () => socket.destroy())
  })

  it('within its own body ends the upstream request at once', async () => {
    const pair = await startPair((request) => request.resume())
    const socket = await openSocket(pair.port)
    socket.write(
      'POST /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n',
    )
    await eventually(
      () => pair.seen.requests,
      (count) => count === 1,
    )
    await expectNothingLeft(pair, () => socket.destroy())
  })

  it('before its small body is complete never reaches the upstream', async () => {
    const pair = await startPair(() => undefined)
    const socket = await openSocket(pair.port)
    socket.write('POST /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nContent-Length: 10\r\n\r\nhalf')
    await eventually(
      async () => metricValue(await pair.metrics(), 'agentic_gateway_requests_in_flight'),
      (count) => count === 1,
    )
    socket.destroy()
    await eventually(
      async () =>
        metricValue(await pair.metrics(), 'agentic_requests_total', { outcome: 'client_disconnect' }),
      (count) => count === 1,
    )
    expect(pair.seen.requests).toBe(0)
  })

  it('while it waits for a connection never reaches the upstream', async () => {
    const goOn = Promise.withResolvers<void>()
    const pair = await startPair((_request, response) => void goOn.promise.then(() => response.end('{}')))
    const first = sendRequest(`${pair.url}/r`)
    await eventually(
      () => pair.seen.requests,
      (count) => count === 1,
    )
    const socket = await openSocket(pair.port)
    socket.write(get)
    await eventually(
      async () => metricValue(await pair.metrics(), 'agentic_gateway_upstream_queued'),
      (count) => count === 1,
    )
    socket.destroy()
    await eventually(
      async () =>
        metricValue(await pair.metrics(), 'agentic_requests_total', { outcome: 'client_disconnect' }),
      (count) => count === 1,
    )
    expect(metricValue(await pair.metrics(), 'agentic_gateway_upstream_queued')).toBe(0)
    goOn.resolve()
    expect((await first).status).toBe(200)
    expect((await sendRequest(`${pair.url}/r`)).status).toBe(200)
    expect(pair.seen.requests).toBe(2)
  })

  it('leaves its place to the next one every time', async () => {
    const pair = await startPair((_request, response) => {
      if (pair.seen.requests % 2 === 0) response.end('{}')
    })
    for (let round = 1; round <= 20; round += 1) {
      const signal = new AbortController()
      const left = sendRequest(`${pair.url}/r`, { signal: signal.signal })
      await eventually(
        () => pair.seen.requests,
        (count) => count === round * 2 - 1,
      )
      signal.abort()
      await expect(left).rejects.toThrow('aborted')
      expect((await sendRequest(`${pair.url}/r`)).status).toBe(200)
    }
  })
})
