import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson, startTcpUpstream, startUpstream } from '@agentic-rest/testing/start-upstream'
import { untilRead } from '@agentic-rest/testing/until-read'
import { describe, expect, it } from 'vitest'
import { expectBare, expectRefusal } from './harness/expect-outcome.ts'
import { openConnection } from './harness/raw-connection.ts'

const limit = 200_000

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  return { upstream, ...(await startFor(upstream.url)) }
}

async function startFor(target: string) {
  return await startGateway({
    gateway: { limits: { max_body_bytes: limit } },
    routes: [
      { id: 'write', method: 'POST', path: '/r', target },
      { id: 'remove', method: 'DELETE', path: '/r', target },
    ],
  })
}

const request = (headers: string, body = '', method = 'POST') =>
  `${method} /r HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n${headers}\r\n${body}`

const chunked = (...chunks: readonly string[]) =>
  [...chunks, ''].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')

describe('the body that is forwarded', () => {
  it.each([
    ['a known length', 'Content-Length: 5\r\n', 'hello', 'POST'],
    ['a length with leading zeros', 'Content-Length: 0005\r\n', 'hello', 'POST'],
    ['a DELETE with a body', 'Content-Length: 5\r\n', 'hello', 'DELETE'],
    [
      'a keyed chunked body that is small',
      'Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n',
      chunked('he', 'llo'),
      'POST',
    ],
  ])('has its exact length, in our own words: %s', async (_title, headers, body, method) => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request(headers, body, method))
    expect((await response()).status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
    expect(upstream.requests[0]?.headers).toMatchObject({ 'content-length': '5' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('transfer-encoding')
    expect(upstream.requests[0]?.body.toString()).toBe('hello')
  })

  it('is chunked when its length is not known', async () => {
    const begun = Promise.withResolvers<void>()
    const done = Promise.withResolvers<{ headers: IncomingHttpHeaders; body: string }>()
    const upstream = await startServer(async (incoming, outgoing) => {
      begun.resolve()
      let body = ''
      for await (const chunk of incoming) body += chunk
      done.resolve({ headers: incoming.headers, body })
      answerJson(outgoing, { body: {} })
    })
    const { port } = await startFor(upstream.url)
    const { send, response } = await openConnection(port)
    send(request('Transfer-Encoding: chunked\r\n', '2\r\nhe\r\n'))
    await begun.promise
    send(chunked('llo'))
    expect((await response()).status).toBe(200)
    const { headers, body } = await done.promise
    expect(headers).toMatchObject({ 'transfer-encoding': 'chunked' })
    expect(headers).not.toHaveProperty('content-length')
    expect(body).toBe('hello')
  })

  it('is streamed with its length when it is larger than what is kept for a retry', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request('Content-Length: 150000\r\n', 'a'.repeat(150_000)))
    expect((await response()).status).toBe(200)
    expect(upstream.requests[0]?.headers).toMatchObject({ 'content-length': '150000' })
    expect(upstream.requests[0]?.body.length).toBe(150_000)
  })

  it('is said to be empty when a POST has none', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request(''))
    expect((await response()).status).toBe(200)
    expect(upstream.requests[0]?.headers).toMatchObject({ 'content-length': '0' })
    expect(upstream.requests[0]?.headers).not.toHaveProperty('transfer-encoding')
  })

  it('carries no extension and no trailer of the client, least of all an identity', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    const trailers = 'X-Tenant-ID: globex\r\nAuthorization: Bearer stolen\r\nX-Actor-Subject: root\r\n'
    const body = `5;tenant=globex\r\nhello\r\n0\r\n${trailers}\r\n`
    send(request('Trailer: X-Tenant-ID\r\nTransfer-Encoding: chunked\r\n', body))
    expect((await response()).status).toBe(200)
    const [received] = upstream.requests
    expect(received?.body.toString()).toBe('hello')
    expect(received?.headers['x-tenant-id']).toBe('acme')
    expect(received?.headers).not.toHaveProperty('trailer')
    expect(received?.headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(received?.rawHeaders)).not.toMatch(/globex|stolen|root/)
  })

  it('is framed once, in our own words, and a request inside it stays a part of it', async () => {
    const inner = 'GET /admin HTTP/1.1\r\nHost: upstream\r\n\r\n'
    let seen = ''
    const upstream = await startTcpUpstream((socket) => {
      socket.on('data', (data) => {
        seen += data.toString('latin1')
        if (seen.includes(inner))
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: application/json\r\n\r\n{}')
      })
    })
    const { port } = await startFor(upstream.url)
    const { send, response } = await openConnection(port)
    send(request('transfer-Encoding:   Chunked\r\n', chunked(inner)))
    expect((await response()).status).toBe(200)
    const [head = '', body] = [
      seen.slice(0, seen.indexOf('\r\n\r\n')),
      seen.slice(seen.indexOf('\r\n\r\n') + 4),
    ]
    // The body was complete when it was sent, so its length is known.
    expect(head.match(/^content-length: .*$/gim)).toEqual([`content-length: ${inner.length}`])
    expect(head).not.toMatch(/transfer-encoding/i)
    expect(body).toBe(inner)
  })
})

it.each(['chunked\t', 'chunked\t ', 'chunked \t'])(
  'the coding %j is refused before anything is forwarded, as Node does',
  async (coding) => {
    const { port, upstream } = await start()
    const { send, closed } = await openConnection(port)
    send(request(`Transfer-Encoding: ${coding}\r\n`, chunked('hello')) + request('Content-Length: 0\r\n'))
    expectBare(await closed(), 400)
    expect(upstream.requests).toEqual([])
  },
)

describe('a body over max_body_bytes', () => {
  it('is 413 by its length alone, before a byte of it is read or forwarded', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request(`Content-Length: ${limit + 1}\r\n`))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect(upstream.requests).toHaveLength(0)
  })

  it('is 413 for a length that no number can hold exactly', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    send(request('Content-Length: 9223372036854775807\r\n'))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect(upstream.requests).toHaveLength(0)
  })

  it('passes when it is exactly as long as allowed, known or chunked', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    const body = 'a'.repeat(limit)
    send(
      request(`Content-Length: ${limit}\r\n`, body) +
        request('Transfer-Encoding: chunked\r\n', chunked(body)),
    )
    expect((await response()).status).toBe(200)
    expect((await response()).status).toBe(200)
    expect(upstream.requests.map((received) => received.body.length)).toEqual([limit, limit])
  })

  it('is 413 when a chunked body goes on, and the upstream that got a part sees it broken off', async () => {
    const begun = Promise.withResolvers<void>()
    const broken = Promise.withResolvers<boolean>()
    const upstream = await startServer((incoming) => {
      incoming.once('data', () => begun.resolve())
      incoming.on('error', () => undefined)
      incoming.once('close', () => broken.resolve(!incoming.complete))
    })
    const { port } = await startFor(upstream.url)
    const { send, response } = await openConnection(port)
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`
    send(request('Transfer-Encoding: chunked\r\n', chunk))
    await begun.promise
    send(chunk.repeat(7))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect(await broken.promise).toBe(true)
  })

  it('is 413 for a keyed chunked body too, of which a part is kept for a retry', async () => {
    const { port, upstream } = await start()
    const { send, response } = await openConnection(port)
    const chunk = `8000\r\n${'a'.repeat(0x8000)}\r\n`
    send(request('Idempotency-Key: k\r\nTransfer-Encoding: chunked\r\n', chunk.repeat(8)))
    expectRefusal(await response(), 413, 'BODY_TOO_LARGE')
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a body that never ends', () => {
  async function startWatched() {
    const begun = Promise.withResolvers<void>()
    const broken = Promise.withResolvers<boolean>()
    const upstream = await startServer((incoming) => {
      incoming.once('data', () => begun.resolve())
      incoming.on('error', () => undefined)
      incoming.once('close', () => broken.resolve(!incoming.complete))
    })
    const gateway = await startFor(upstream.url)
    const disconnects = async () =>
      metricValue(await gateway.metrics(), 'agentic_requests_total', {
        route: 'write',
        outcome: 'client_disconnect',
        tenant_id: 'acme',
      })
    return { ...gateway, begun: begun.promise, broken: broken.promise, disconnects }
  }

  it.each([
    ['a known length', 'Content-Length: 100000\r\n', 'a'.repeat(70_000)],
    ['chunks', 'Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n'],
  ])('is broken off at the upstream when the client goes away: %s', async (_title, headers, body) => {
    const { port, begun, broken, disconnects } = await startWatched()
    const { send, socket } = await openConnection(port)
    send(request(headers, body))
    await begun
    socket.destroy()
    expect(await broken).toBe(true)
    await expect.poll(disconnects).toBe(1)
  })

  it('is broken off at the upstream when the client only ends its side', async () => {
    const { port, begun, broken, disconnects } = await startWatched()
    const { socket, closed } = await openConnection(port)
    socket.write(request('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n'))
    await begun
    socket.end()
    expectBare(await closed(), 400)
    expect(await broken).toBe(true)
    await expect.poll(disconnects).toBe(1)
  })

  it('is a bare 400 and broken off at the upstream when a chunk in its middle is malformed', async () => {
    const { port, begun, broken, disconnects } = await startWatched()
    const { send, closed } = await openConnection(port)
    send(request('Transfer-Encoding: chunked\r\n', '5\r\nhello\r\n'))
    await begun
    send('x\r\n')
    expectBare(await closed(), 400)
    expect(await broken).toBe(true)
    await expect.poll(disconnects).toBe(1)
  })

  it('reaches no upstream when it is small enough to be read first', async () => {
    const { upstream, port } = await start()
    const { send, socket } = await openConnection(port)
    send(request('Content-Length: 100\r\n', 'half'))
    await untilRead(port)
    socket.destroy()
    await once(socket, 'close')
    expect(upstream.requests).toHaveLength(0)
  })
})
