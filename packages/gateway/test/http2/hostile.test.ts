import { once } from 'node:events'
import { constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { startServer } from '@agentic-rest/testing/start-server'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import {
  FrameReader,
  fieldBlock,
  frame,
  frameFlags,
  frameTypes,
  get,
  head,
  preface,
  reset,
} from './frames.ts'
import { ask, request, startSecure } from './harness.ts'

const routesTo = (target: string) =>
  ['GET', 'POST'].map((method) => ({ id: method, method, path: '/r', target, conformance: 'off' }))

async function start(gateway: Record<string, unknown> = {}) {
  const upstream = await startUpstream((_request, response) => response.end('ok'))
  const secure = await startSecure({ gateway, routes: routesTo(upstream.url) })
  const openFrames = async (): Promise<{ socket: TLSSocket; reader: FrameReader }> => {
    const socket = await secure.openSocket()
    const reader = new FrameReader(socket)
    socket.write(preface)
    return { socket, reader }
  }
  return { upstream, ...secure, openFrames }
}

const tenant = ['x-tenant-id', 'acme'] as const

describe('a head that is no request', () => {
  it.each([
    ['a name in upper case', [...get('/r'), ['X-Upper', '1']]],
    ['Connection', [...get('/r'), ['connection', 'close']]],
    ['Transfer-Encoding', [...get('/r'), ['transfer-encoding', 'chunked']]],
    ['Upgrade', [...get('/r'), ['upgrade', 'h2c']]],
    ['TE with more than trailers', [...get('/r'), ['te', 'gzip']]],
    ['an unknown pseudo header', [...get('/r'), [':tenant', 'acme']]],
    ['a pseudo header behind a header', [[':method', 'GET'], ['x-a', '1'], ...get('/r').slice(1)]],
    ['a pseudo header that is sent twice', [...get('/r'), [':path', '/admin']]],
    ['no path', get('/r').slice(0, 3)],
    ['an empty path', get('')],
    ['a path that is no path', get('r')],
    ['a name in the authority', get('/r').with(2, [':authority', 'user@gateway'])],
    ['a length without a body', [...get('/r'), ['content-length', '5']]],
    ['a length that is no number', [...get('/r'), ['content-length', '+0']]],
  ] as [string, [string, string][]][])('is reset: %s', async (_title, fields) => {
    const { upstream, openFrames } = await start()
    const { socket, reader } = await openFrames()
    socket.write(head(1, [...fields, tenant]))
    expect(await reader.codeOf(frameTypes.reset, 1)).toBe(constants.NGHTTP2_PROTOCOL_ERROR)
    // Its connection goes on.
    socket.write(head(3, [...get('/healthz')]))
    expect(await reader.find(({ type, stream }) => type === frameTypes.headers && stream === 3)).toBeDefined()
    expect(upstream.requests).toEqual([])
  })

  it.each(['123', '1234567'])(
    'is reset, or its connection ends, when its body is not of its length: %s',
    async (body) => {
      const { upstream, openFrames } = await start()
      const { socket, reader } = await openFrames()
      const post = [
        [':method', 'POST'] as const,
        ...get('/r').slice(1),
        tenant,
        ['content-length', '5'] as const,
      ]
      socket.write(head(1, post, frameFlags.endHeaders))
      const payload = Buffer.from(body)
      socket.write(frame({ type: frameTypes.data, flags: frameFlags.endStream, stream: 1, payload }))
      await reader.find(({ type, stream }) => type === frameTypes.reset && stream === 1)
      expect(reader.frames.filter(({ type }) => type === frameTypes.headers)).toEqual([])
      expect(upstream.requests).toEqual([])
    },
  )

  it('goes on without a field that holds a line end or whose name has a blank', async () => {
    const { upstream, openFrames } = await start()
    const { socket, reader } = await openFrames()
    const bad = [['x-a', 'b\r\nx-tenant-id: globex'] as const, ['x b', '1'] as const]
    socket.write(head(1, [...get('/r'), ...bad, tenant]))
    await reader.find(({ type, stream }) => type === frameTypes.headers && stream === 1)
    expect(upstream.requests[0]?.headers['x-tenant-id']).toBe('acme')
    expect(upstream.requests[0]?.rawHeaders.filter((text) => /^x.[ab]|globex/i.test(text))).toEqual([])
  })
})

async function sendOneByOne(socket: TLSSocket, pairs: Buffer[]): Promise<void> {
  for (const pair of pairs) {
    if (socket.destroyed) return
    await new Promise<void>((resolve) => socket.write(pair, () => resolve()))
  }
}

describe('a client that does too much', () => {
  it.each([
    ['in one packet', (socket: TLSSocket, pairs: Buffer[]) => void socket.write(Buffer.concat(pairs))],
    ['one by one', sendOneByOne],
  ])('loses its connection after many resets %s, and the gateway goes on', async (_title, send) => {
    const { openFrames, open, log } = await start()
    const { socket, reader } = await openFrames()
    const pairs = Array.from({ length: 900 }, (_, index) =>
      Buffer.concat([head(2 * index + 1, [...get('/r'), tenant]), reset(2 * index + 1)]),
    )
    await send(socket, pairs)
    expect(await reader.codeOf(frameTypes.goaway)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    // The client sends more and does not close its side.
    socket.write(head(2001, [...get('/r'), tenant]))
    await reader.find(() => false)
    expect(reader.frames.filter(({ stream }) => stream === 2001)).toEqual([])
    expect(log.filter(({ cause }) => cause === 'HTTP2_TOO_MANY_RESETS')).toHaveLength(1)
    expect((await ask(await open(), '/r')).status).toBe(200)
  })

  it('waits for its 101st stream, and loses its connection when it does not', async () => {
    const upstream = await startEventUpstream()
    const { open, openSocket } = await startSecure({
      gateway: { llm: { max_sse_connections_per_tenant: 500 } },
      routes: [{ id: 'e', method: 'GET', path: '/e', target: upstream.url, mode: 'sse' }],
    })
    const session = await open()
    const streams = Array.from({ length: 101 }, () => request(session, '/e', { accept: 'text/event-stream' }))
    await upstream.opened(99)
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100)
    const last = once(streams[100] as (typeof streams)[number], 'response')
    expect(upstream.streams).toHaveLength(100)
    upstream.streams[0]?.response.end()
    for (const stream of streams) stream.resume()
    await last
    session.destroy()
    const socket = await openSocket()
    const reader = new FrameReader(socket)
    socket.write(preface)
    await reader.find(({ type, flags }) => type === frameTypes.settings && flags === 0)
    socket.write(
      frame({ type: frameTypes.settings, flags: frameFlags.ack, stream: 0, payload: Buffer.alloc(0) }),
    )
    const fields = [...get('/e'), tenant, ['accept', 'text/event-stream'] as const]
    for (let index = 0; index <= 100; index += 1) socket.write(head(2 * index + 1, fields))
    expect(await reader.codeOf(frameTypes.goaway)).toBe(constants.NGHTTP2_PROTOCOL_ERROR)
  })

  it('loses its connection with a head without an end, or with pings and settings without reading', async () => {
    const { openFrames, open } = await start()
    const endless = await openFrames()
    endless.socket.write(head(1, get('/r'), 0))
    const payload = fieldBlock([['x-a', 'x'.repeat(1000)]])
    for (let index = 0; index < 200 && !endless.socket.destroyed; index += 1)
      endless.socket.write(frame({ type: frameTypes.continuation, flags: 0, stream: 1, payload }))
    await endless.reader.find(() => false)
    for (const type of [frameTypes.ping, frameTypes.settings]) {
      const { socket, reader } = await openFrames()
      socket.pause()
      const one = frame({
        type,
        flags: 0,
        stream: 0,
        payload: Buffer.alloc(type === frameTypes.ping ? 8 : 0),
      })
      const many = Buffer.concat(Array.from({ length: 20_000 }, () => one))
      for (let index = 0; index < 50 && !socket.destroyed; index += 1)
        await new Promise<void>((resolve) => socket.write(many, () => resolve()))
      socket.resume()
      await reader.find(({ type: got }) => got === frameTypes.goaway)
      socket.destroy()
    }
    expect((await ask(await open(), '/r')).status).toBe(200)
  })

  it('has the heads of a header flood refused without an answer', async () => {
    const { openFrames, open } = await start()
    const { socket, reader } = await openFrames()
    const fields = Array.from({ length: 400 }, (_, index) => [`x-${index}`, '1'] as const)
    for (let index = 0; index < 300; index += 1) socket.write(head(2 * index + 1, [...get('/r'), ...fields]))
    for (const stream of [1, 599])
      expect(await reader.codeOf(frameTypes.reset, stream)).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM)
    expect((await ask(await open(), '/r')).status).toBe(200)
  })
})

describe('a client that does not read', () => {
  it('holds back its upstream on its own stream only, and gets every byte in the end', async () => {
    const size = 16_777_216
    const block = Buffer.alloc(65_536, 'agentic')
    let sent = 0
    const upstream = await startServer((incoming, response) => {
      if (incoming.url === '/r?small') return void response.end('ok')
      response.writeHead(200, { 'content-length': size })
      const push = () => {
        while (sent < size && !response.destroyed) {
          sent += block.length
          if (!response.write(block)) return void response.once('drain', push)
        }
        response.end()
      }
      push()
    })
    const { open } = await startSecure({ routes: routesTo(upstream.url) })
    const session = await open()
    session.setLocalWindowSize(8_388_608)
    const stalled = request(session, '/r')
    await once(stalled, 'response')
    stalled.pause()
    // Beside it, others are answered on the same connection.
    for (let index = 0; index < 20; index += 1) expect((await ask(session, '/r?small')).body).toBe('ok')
    const held = sent
    for (let index = 0; index < 20; index += 1) await ask(session, '/r?small')
    expect(sent).toBe(held)
    expect(held).toBeLessThan(size / 2)
    let received = 0
    stalled.on('data', (chunk: Buffer) => {
      received += chunk.length
    })
    stalled.resume()
    await once(stalled, 'end')
    expect({ received, sent }).toEqual({ received: size, sent: size })
  })

  it('is cut when the time of its request is over', async () => {
    const upstream = await startServer((_incoming, response) => response.end(Buffer.alloc(4_194_304)))
    const route = {
      id: 'r',
      method: 'GET',
      path: '/r',
      target: upstream.url,
      conformance: 'off',
      executionTimeoutSeconds: 1,
    }
    const { open } = await startSecure({ routes: [route] })
    const stalled = request(await open(), '/r')
    await once(stalled, 'response')
    stalled.pause()
    await new Promise((resolve) => {
      stalled.once('aborted', resolve)
      stalled.once('close', resolve)
    })
    expect(stalled.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  })
})
