import { once } from 'node:events'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { describe, expect, it } from 'vitest'
import { ownTime } from './harness/own-time.ts'
import { openSocket, parseResponse } from './harness/raw-client.ts'
import { untilRefused } from './harness/until-refused.ts'

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n`

/** One answer on a connection that stays open. */
async function askOn(socket: Awaited<ReturnType<typeof openSocket>>, path: string) {
  socket.write(get(path))
  let text = ''
  while (!/\r\n\r\n.*\}(\r\n0\r\n\r\n)?$/s.test(text)) {
    const [data] = await once(socket, 'data')
    text += data
  }
  return parseResponse(text)
}

async function startSlow() {
  const waiting: (() => void)[] = []
  const upstream = await startUpstream((_request, response) => {
    waiting.push(() => answerJson(response, { body: { done: true } }))
  })
  const arrived = async () => {
    return await eventually(
      () => waiting[0],
      (first) => first !== undefined,
    )
  }
  return { upstream, arrived }
}

describe('draining', () => {
  it('finishes what is in flight, refuses what is new on open connections, and accepts no connection', async () => {
    const { upstream, arrived } = await startSlow()
    const { gateway, url, port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const idle = await openSocket(port)
    expect((await askOn(idle, '/readyz')).status).toBe(200)
    const other = await openSocket(port)
    expect((await askOn(other, '/readyz')).body).toBe('{"status":"ready","degraded":[]}')
    const inFlight = fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })
    const finish = await arrived()
    const drained = gateway.drain()
    await untilRefused(port)
    const notReady = await askOn(idle, '/readyz')
    expect(notReady.status).toBe(503)
    expect(notReady.headers['connection']).toBe('close')
    expect(JSON.parse(notReady.body)).toMatchObject({ type: 'error', code: 'SHUTTING_DOWN' })
    const refused = await askOn(other, '/r')
    expect(refused.status).toBe(503)
    expect(refused.headers).toMatchObject({
      connection: 'close',
      'retry-after': '1',
      'x-agentic-profile': 'v0.3',
      'content-type': 'application/vnd.agentic.error+json',
    })
    expect(JSON.parse(refused.body)).toMatchObject({ type: 'error', code: 'SHUTTING_DOWN' })
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()

    finish?.()
    const response = await inFlight
    expect(response.status).toBe(200)
    expect(response.headers.get('connection')).toBe('close')
    expect(await response.json()).toEqual({ done: true })
    await drained
  })

  it('serves the first request of a connection that was accepted before', async () => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
    const { gateway, port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const silent = await openSocket(port)
    const drained = gateway.drain()
    await untilRefused(port)
    const answer = await askOn(silent, '/r')
    expect(answer.status).toBe(200)
    expect(answer.headers['connection']).toBe('close')
    await drained
  })

  it('serves one more request on the connection of a stream, which the head of the stream promised to keep', async () => {
    const events = await startEventUpstream()
    const items = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
    const { gateway, port } = await startGateway({
      routes: [
        { id: 'llm', method: 'GET', path: '/llm', target: events.url, mode: 'sse' },
        { id: 'item', method: 'GET', path: '/item', target: items.url },
      ],
    })
    const socket = await openSocket(port)
    const closed = once(socket, 'close')
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes
    })
    socket.write(get('/llm'))
    const { response } = await events.opened()
    response.write('data: one\n\n')
    await expect.poll(() => received).toContain('data: one')
    expect(received).not.toMatch(/^connection: close/im)
    const drained = gateway.drain()
    await untilRefused(port)
    response.end('data: last\n\n')
    await expect.poll(() => received).toMatch(/data: last\n\n\r\n0\r\n\r\n$/)
    received = ''
    socket.write(`${get('/item')}${get('/item')}`)
    await closed
    const [first = '', second = ''] = received.split(/(?=HTTP\/1\.1)/)
    expect(parseResponse(first)).toMatchObject({ status: 200, body: '{"ok":true}' })
    expect(parseResponse(second)).toMatchObject({ status: 503, headers: { connection: 'close' } })
    await drained
  })

  it('waits for the client of such a request, whenever its answer comes', async () => {
    const events = await startEventUpstream()
    const { upstream, arrived } = await startSlow()
    const { gateway, port } = await startGateway({
      gateway: { cors: { origins: ['https://app.example'] } },
      routes: [
        { id: 'llm', method: 'GET', path: '/llm', target: events.url, mode: 'sse' },
        { id: 'item', method: 'POST', path: '/item', target: upstream.url },
      ],
    })
    const sockets = await Promise.all([openSocket(port), openSocket(port)])
    const received: [string, string] = ['', '']
    for (const index of [0, 1] as const) {
      const socket = sockets[index]
      socket.on('data', (bytes) => (received[index] += bytes))
      socket.write(get('/llm'))
    }
    await expect.poll(() => events.streams.length).toBe(2)
    const drained = gateway.drain()
    await untilRefused(port)
    for (const { response } of events.streams) response.end('data: last\n\n')
    await expect.poll(() => received.filter((text) => text.endsWith('0\r\n\r\n')).length).toBe(2)
    const [upload, preflight] = sockets
    upload.write('POST /item HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nContent-Length: 2\r\n\r\n{}')
    preflight.write(
      'OPTIONS /item HTTP/1.1\r\nHost: g\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n\r\n',
    )
    const closed = [once(upload, 'close'), once(preflight, 'close')]
    const finish = await arrived()
    await closed[1]
    expect(received[1]).toMatch(/HTTP\/1\.1 204 No Content\r\n(.|\s)*Connection: close/)
    // Wait: the time is the subject. It is longer than quiet connections are waited for.
    await new Promise((resolve) => setTimeout(resolve, 700))
    finish?.()
    await closed[0]
    expect(received[0]).toMatch(/HTTP\/1\.1 200 OK\r\n(.|\s)*\{"done":true\}\r\n0\r\n\r\n$/)
    await drained
  })

  it('ends streams with the last frame at the deadline, and cancels what has not answered', async () => {
    const events = await startEventUpstream()
    const { upstream, arrived } = await startSlow()
    const { gateway, url, audit } = await startGateway({
      gateway: { drain_seconds: 1 },
      routes: [
        { id: 'llm', method: 'POST', path: '/llm', target: events.url, mode: 'sse' },
        { id: 'r', method: 'GET', path: '/r', target: upstream.url },
      ],
    })
    const client = await openStream({
      url: `${url}/llm`,
      headers: { 'x-correlation-id': 'c', 'x-request-id': 'r' },
    })
    const { response, closed } = await events.opened()
    response.write('data: one\n\n')
    await client.until('one')
    const stuck = fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })
    await arrived()
    const started = performance.now()
    const drained = gateway.drain()
    const drainTime = ownTime(() => drained)
    const { complete, text } = await client.ended
    expect(performance.now() - started).toBeGreaterThan(950)
    const body = {
      type: 'error',
      code: 'SHUTTING_DOWN',
      message: 'The gateway is shutting down.',
      trace: { correlationId: 'c', requestId: 'r' },
    }
    expect(complete).toBe(true)
    expect(text).toBe(`data: one\n\nevent: error\ndata: ${JSON.stringify(body)}\n\n`)
    const cancelled = await stuck
    expect(cancelled.status).toBe(503)
    expect(await cancelled.json()).toMatchObject({ code: 'SHUTTING_DOWN' })
    await closed
    expect(await drainTime).toBeLessThan(3000)
    // Both records are written before the gateway is gone.
    expect(audit.map((record) => record['operation']).sort()).toEqual(['llm', 'r'])
  })

  it('waits for a client that is still reading its answer', async () => {
    const size = 30_000_000
    const upstream = await startUpstream((_request, response) => response.end(Buffer.alloc(size, 'x')))
    const { gateway, port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const socket = await openSocket(port)
    let bytes = 0
    const slowly = (chunk: Buffer) => {
      bytes += chunk.length
      socket.pause()
      // Wait: the client reads slowly on purpose.
      setTimeout(() => socket.resume(), 3)
    }
    socket.on('data', slowly)
    socket.write(get('/r'))
    await once(socket, 'data')
    const started = performance.now()
    const drained = gateway.drain()
    await once(socket, 'close')
    expect(bytes).toBeGreaterThan(size)
    expect(performance.now() - started).toBeGreaterThan(700)
    await drained
  })

  it('answers and records an upload that does not come to its end', async () => {
    const upstream = await startUpstream((_request, response) => response.end())
    const { gateway, port, audit } = await startGateway({
      gateway: { drain_seconds: 1 },
      routes: [{ id: 'r', method: 'POST', path: '/r', target: upstream.url }],
    })
    const socket = await openSocket(port)
    let text = ''
    socket.on('data', (chunk) => (text += chunk))
    socket.write('POST /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\nContent-Length: 10\r\n\r\nabc')
    await eventually(
      () => gateway.metrics.expose(),
      ({ text: scrape }) => scrape.includes('agentic_gateway_requests_in_flight 1'),
    )
    await gateway.drain()
    expect(parseResponse(text).status).toBe(503)
    expect(text).toContain('SHUTTING_DOWN')
    expect(audit).toEqual([expect.objectContaining({ operation: 'r', outcome: 'error' })])
  })

  it('keeps accepting for drain_delay_seconds while it says that it is not ready', async () => {
    const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
    const { gateway, url, port } = await startGateway({
      gateway: { drain_delay_seconds: 1 },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const pooled = await openSocket(port)
    expect((await askOn(pooled, '/r')).headers['connection']).not.toBe('close')
    const drained = gateway.drain()
    expect((await fetch(`${url}/readyz`)).status).toBe(503)
    const response = await fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme', Connection: 'close' } })
    expect(await response.json()).toEqual({ ok: true })
    // A proxy that keeps the connection would send its next request after the delay.
    const last = await askOn(pooled, '/r')
    expect([last.status, last.headers['connection']]).toEqual([200, 'close'])
    await drained
  })
})

describe('closing at once', () => {
  it('cancels what is in flight and records it before it is gone', async () => {
    const { upstream, arrived } = await startSlow()
    const { gateway, url, audit } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const stuck = fetch(`${url}/r`, { headers: { 'X-Tenant-ID': 'acme' } })
    await arrived()
    await gateway.close()
    expect((await stuck).status).toBe(503)
    expect(audit).toEqual([expect.objectContaining({ operation: 'r', outcome: 'error' })])
  })
})
