import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type ClientHttp2Session, constants } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { headerValues } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson, type ReceivedRequest, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from '../harness/expect-outcome.ts'
import { openSocket } from '../harness/raw-client.ts'
import { followSocket } from '../harness/raw-connection.ts'
import { answerOf, ask, request, startSecure } from './harness.ts'

const answerOk = (_request: ReceivedRequest, response: ServerResponse) =>
  answerJson(response, { body: { ok: true } })

async function start(answer = answerOk, gateway: Record<string, unknown> = {}) {
  const upstream = await startUpstream(answer)
  const routes = ['GET', 'POST'].map((method) => ({
    id: method.toLowerCase(),
    method,
    path: '/r',
    target: upstream.url,
  }))
  return { upstream, ...(await startSecure({ gateway, routes })) }
}

describe('a request over HTTP/2', () => {
  it('is forwarded and answered as over HTTP/1.1', async () => {
    const { upstream, open, audit } = await start()
    const session = await open()
    expect(session.alpnProtocol).toBe('h2')
    const answer = await ask(session, '/r?a=1', {
      ':authority': 'gateway',
      cookie: ['a=1', 'b=2'],
      'x-twice': ['1', '2'],
    })
    expect(answer).toMatchObject({
      status: 200,
      body: '{"ok":true}',
      headers: {
        'x-agentic-profile': 'v0.3',
        'content-type': 'application/json',
        date: expect.stringMatching(/GMT$/),
      },
    })
    for (const name of ['connection', 'keep-alive', 'transfer-encoding'])
      expect(headerValues(answer, name)).toEqual([])
    const [received] = upstream.requests
    expect(received).toMatchObject({ method: 'GET', url: '/r?a=1' })
    expect(received?.headers).toMatchObject({
      cookie: 'a=1; b=2',
      'x-twice': '1, 2',
      'x-tenant-id': 'acme',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': 'gateway',
    })
    await expect.poll(() => audit).toMatchObject([{ tenant_id: 'acme' }])
  })

  it('is refused with the typed answers of the gateway', async () => {
    const { open } = await start()
    const session = await open()
    expectRefusal(await ask(session, '/none'), 404, 'ROUTE_NOT_FOUND')
    expectRefusal(await ask(session, '/r', { ':method': 'DELETE' }), 405, 'METHOD_NOT_ALLOWED')
    expectInvalid(await ask(session, '/a/../b'), [{ field: 'path', message: 'must not have a dot segment' }])
    expectInvalid(await ask(session, '/r', { ':authority': 'gateway', host: 'other' }), [
      { field: 'Host', message: 'is sent more than once' },
    ])
    expect((await ask(session, '/r', { ':authority': 'gateway', host: 'GATEWAY' })).status).toBe(200)
    expectInvalid(await ask(session, '/r', { ':authority': 'a:b:c' }), [
      { field: 'Host', message: 'is not a host' },
    ])
    expectInvalid(await ask(session, '/r', { 'x-request-id': 'é' }), [
      { field: 'X-Request-ID', message: 'must be 1 to 256 printable ASCII characters' },
    ])
    const withBody = session.request(
      { ':path': '/r', ':method': 'GET', 'x-tenant-id': 'acme' },
      { endStream: false },
    )
    const refused = answerOf(withBody)
    withBody.end('x')
    expectInvalid(await refused, [{ field: 'body', message: 'is not allowed with GET' }])
    const tunnel = session.request({ ':method': 'CONNECT', ':authority': 'a:1' })
    expectRefusal(await answerOf(tunnel), 405, 'METHOD_NOT_ALLOWED')
  })

  it('with a head that is too large gets a bare 431 or 414, and its connection goes on', async () => {
    const { open, log } = await start()
    const session = await open()
    expect(await ask(session, '/r', { 'x-large': 'x'.repeat(17_000) })).toMatchObject({
      status: 431,
      body: '',
    })
    expect(await ask(session, `/${'x'.repeat(17_000)}`)).toMatchObject({ status: 414, body: '' })
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`x-${index}`, '1']))
    expect(await ask(session, '/r', many)).toMatchObject({ status: 431, body: '' })
    expect(await ask(session, '/r', { ':method': 'BREW' })).toMatchObject({ status: 400, body: '' })
    expect((await ask(session, '/r', { 'x-large': 'x'.repeat(15_000) })).status).toBe(200)
    expect(log.filter(({ cause }) => cause === 'HPE_HEADER_OVERFLOW').length).toBeGreaterThan(0)
  })

  it('brings its body, with and without a length, up to the limit', async () => {
    const { upstream, open } = await start(answerOk, { limits: { max_body_bytes: 200_000 } })
    const session = await open()
    const sized = request(session, '/r', {
      ':method': 'POST',
      'content-length': '5',
      'content-type': 'text/plain',
    })
    sized.end('12345')
    expect((await answerOf(sized)).status).toBe(200)
    const unsized = request(session, '/r', { ':method': 'POST' })
    unsized.write('a'.repeat(100_000))
    unsized.end('b'.repeat(100_000))
    expect((await answerOf(unsized)).status).toBe(200)
    expect(upstream.requests.map(({ headers, body }) => [headers['content-length'], body.length])).toEqual([
      ['5', 5],
      [undefined, 200_000],
    ])
    for (const headers of [{ 'content-length': '200001' }, {}]) {
      const large = request(session, '/r', { ':method': 'POST', ...headers })
      large.write('x'.repeat(200_001))
      expectRefusal(await answerOf(large), 413, 'BODY_TOO_LARGE')
      // The client is told to stop sending.
      if (!large.closed) await once(large, 'close')
      expect(large.rstCode).toBe(0)
    }
  })

  it('gets 100 Continue when its body is wanted', async () => {
    const { open } = await start()
    const stream = request(await open(), '/r', { ':method': 'POST', expect: '100-continue' })
    await once(stream, 'continue')
    stream.end('body')
    expect((await answerOf(stream)).status).toBe(200)
  })

  it('answers HEAD and 204 without a body', async () => {
    const upstream = await startUpstream((_request, response) => response.writeHead(204).end())
    const { open } = await startSecure({
      routes: [
        { id: 'r', method: 'HEAD', path: '/r', target: upstream.url, conformance: 'off' },
        { id: 'g', method: 'GET', path: '/r', target: upstream.url, conformance: 'off' },
      ],
    })
    const session = await open()
    expect(await ask(session, '/r')).toMatchObject({ status: 204, body: '' })
    expect(await ask(session, '/r', { ':method': 'HEAD' })).toMatchObject({ status: 204, body: '' })
  })
})

describe('a stream over HTTP/2', () => {
  const route = (target: string) => ({ id: 'events', method: 'GET', path: '/events', target, mode: 'sse' })
  const openEvents = (session: ClientHttp2Session) =>
    request(session, '/events', { accept: 'text/event-stream' })

  it('gets each event at once, thirty of them beside each other on one connection', async () => {
    const upstream = await startEventUpstream()
    const { open } = await startSecure({
      gateway: { llm: { max_sse_connections_per_tenant: 30 } },
      routes: [route(upstream.url)],
    })
    const session = await open()
    const streams = Array.from({ length: 30 }, () => openEvents(session))
    await Promise.all(streams.map((stream) => once(stream, 'response')))
    await upstream.opened(29)
    const events = streams.map((stream) => once(stream, 'data'))
    for (const [index, { response }] of upstream.streams.entries()) response.write(`data: ${index}\n\n`)
    const texts = (await Promise.all(events)).map(String)
    expect(texts.toSorted()).toEqual(streams.map((_stream, index) => `data: ${index}\n\n`).toSorted())
  })

  it('is cancelled alone when its client takes it back, and all are when the client leaves', async () => {
    const upstream = await startEventUpstream()
    const { open, port, cert } = await startSecure({ routes: [route(upstream.url)] })
    const session = await open()
    const first = openEvents(session)
    const firstHeld = await upstream.opened(0)
    const second = openEvents(session)
    const secondHeld = await upstream.opened(1)
    first.close(constants.NGHTTP2_CANCEL)
    await firstHeld.closed
    secondHeld.response.write('data: on\n\n')
    expect(String(await once(second, 'data'))).toBe('data: on\n\n')
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert, ALPNProtocols: ['h2'] })
    const other = await open({ createConnection: () => socket })
    await once(openEvents(other), 'response')
    const held = await upstream.opened(2)
    socket.end()
    await held.closed
    expect((await ask(session, '/healthz')).status).toBe(200)
  })

  it('breaks off with a reset when its upstream does', async () => {
    const upstream = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 })
      response.write('half')
      setImmediate(() => response.destroy())
    })
    const { open } = await startSecure({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url, conformance: 'off' }],
    })
    const stream = request(await open(), '/r')
    stream.resume()
    await new Promise((resolve) => stream.once('close', resolve))
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  })

  it('is finished in a drain, and its client learns that the connection takes no more', async () => {
    const upstream = await startEventUpstream()
    const { open, gateway } = await startSecure({
      gateway: { drain_seconds: 10 },
      routes: [route(upstream.url)],
    })
    const session = await open()
    const idle = await open()
    const stream = openEvents(session)
    await once(stream, 'response')
    const held = await upstream.opened()
    const told = [once(session, 'goaway'), once(idle, 'goaway'), once(idle, 'close')]
    const drained = gateway.drain()
    await Promise.all(told)
    held.response.end('data: last\n\n')
    const chunks: Buffer[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe('data: last\n\n')
    await drained
  })
})

describe('the choice of the protocol', () => {
  const offered = async (port: number, ca: string, protocols: string[]) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca, ALPNProtocols: protocols })
    await once(socket, 'secureConnect')
    socket.destroy()
    return socket.alpnProtocol
  }

  it('is the client’s; with http2: false it is HTTP/1.1', async () => {
    const { port, cert } = await start()
    expect(await offered(port, cert, ['h2', 'http/1.1'])).toBe('h2')
    expect(await offered(port, cert, ['http/1.1'])).toBe('http/1.1')
    const { cert: otherCert, key } = makeCertificate()
    const files = writeFiles({ cert: otherCert, key })
    const old = await start(answerOk, { tls: { cert_file: files.cert, key_file: files.key, http2: false } })
    expect(await offered(old.port, otherCert, ['h2', 'http/1.1'])).toBe('http/1.1')
  })

  it('is HTTP/1.1 without TLS: an upgrade to h2c is ignored and a preface of HTTP/2 is refused', async () => {
    const upstream = await startUpstream(answerOk)
    const { port } = await startGateway({
      routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
    })
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'
    const asked = followSocket(await openSocket(port))
    asked.send(`GET /r HTTP/1.1\r\nHost: g\r\nX-Tenant-ID: acme\r\n${upgrade}\r\n`)
    expect(await asked.response()).toMatchObject({ status: 200, body: '{"ok":true}' })
    const prior = followSocket(await openSocket(port))
    prior.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
    expect(await prior.closed()).toBe(
      'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    )
  })
})
