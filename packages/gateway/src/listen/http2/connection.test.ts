import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { makeCertificate } from '@agentic-rest/testing/make-certificate'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  FrameReader,
  frame,
  frameFlags,
  frameTypes,
  get,
  head,
  preface,
  reset,
} from '../../../test/http2/frames.ts'
import { createLog } from '../../log.ts'
import { createListener } from '../listener.ts'

const limits = {
  max_body_bytes: 1_000_000,
  max_header_bytes: 16_384,
  max_headers: 100,
  max_connections: 100,
  max_streams_per_connection: 100,
}

async function start() {
  const { cert, key } = makeCertificate()
  const held = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  const cuts: (() => void)[] = []
  const malformed: { readonly status: number; readonly cause: string }[] = []
  const listener = createListener({
    host: '127.0.0.1',
    port: 0,
    limits,
    corsOrigins: undefined,
    certificate: { cert, key, http2: true },
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
    timeouts: { headersMs: 300, requestMs: 600 },
    onMalformed: ({ status, cause }) => malformed.push({ status, cause }),
    async handle({ path, body, reply, signal }) {
      if (path === '/held') await held.promise
      if (path === '/open') return
      if (path === '/large') {
        signal.addEventListener('abort', left.resolve)
        reply.head(200, [])
        reply.write(Buffer.alloc(20_000_000))
        cuts.push(() => reply.destroy())
        return
      }
      if (path !== '/unread') await body.read(1_000_000).catch(() => undefined)
      reply.head(200, ['Content-Length', '0'])
      reply.end()
    },
  })
  onTestFinished(() => listener.close())
  const port = await listener.open()
  const open = (ca: string) => {
    const session = connect(`https://127.0.0.1:${port}`, { ca, rejectUnauthorized: true })
    onTestFinished(() => session.destroy())
    return session
  }
  /** Opens a connection for frames of a test. */
  const openFrames = async () => {
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert, ALPNProtocols: ['h2'] })
    socket.on('error', () => undefined)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    const reader = new FrameReader(socket)
    socket.write(preface)
    await reader.find(({ type, flags }) => type === frameTypes.settings && flags === frameFlags.ack)
    return { socket, reader }
  }
  return { listener, port, cert, malformed, open, openFrames, held, left, cuts }
}

test('a body that does not come to its end is answered with 408, and other streams go on', async () => {
  const { open, cert, malformed } = await start()
  const session = open(cert)
  const slow = session.request({ ':method': 'POST' })
  slow.on('error', () => undefined)
  slow.write('part')
  const [headers] = await once(slow, 'response')
  expect(headers[':status']).toBe(408)
  expect(malformed).toEqual([{ status: 408, cause: 'ERR_HTTP_REQUEST_TIMEOUT' }])
  const [next] = await once(session.request({ ':path': '/' }), 'response')
  expect(next[':status']).toBe(200)
})

test('a body that nobody reads does not keep its stream, or its connection, open', async () => {
  const { open, cert, listener } = await start()
  const session = open(cert)
  const unread = session.request({ ':method': 'POST', ':path': '/unread' })
  unread.on('error', () => undefined)
  unread.write(Buffer.alloc(200_000))
  const [headers] = await once(unread, 'response')
  expect(headers[':status']).toBe(200)
  listener.drain(0)
  await once(session, 'close')
  await expect.poll(() => listener.connections).toBe(0)
})

test('a client that chose HTTP/2 and sends nothing, or something else, loses its connection', async () => {
  const { port, cert, malformed, listener } = await start()
  for (const bytes of ['', 'GET / HTTP/1.1\r\nHost: gateway\r\n\r\n']) {
    const socket = connectTls({ host: '127.0.0.1', port, ca: cert, ALPNProtocols: ['h2'] })
    await once(socket, 'secureConnect')
    if (bytes !== '') socket.write(bytes)
    socket.resume()
    await once(socket, 'close')
  }
  expect(malformed).toEqual([{ status: 400, cause: 'ERR_HTTP2_ERROR' }])
  await expect.poll(() => listener.connections).toBe(0)
})

test('a new certificate is used from the next handshake on, and open connections go on', async () => {
  const { listener, cert, open } = await start()
  const session = open(cert)
  await once(session, 'connect')
  const { cert: newCert, key } = makeCertificate()
  listener.apply({ limits, corsOrigins: undefined, certificate: { cert: newCert, key, http2: true } })
  for (const asked of [session, open(newCert)]) {
    const [headers] = await once(asked.request({ ':path': '/' }), 'response')
    expect(headers[':status']).toBe(200)
  }
})

/** Lets the time of the listener pass; sockets keep theirs. */
function fakeTime() {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

const isHead = (stream: number) => (sent: { readonly type: number; readonly stream: number }) =>
  sent.type === frameTypes.headers && sent.stream === stream

test('an idle connection ends with GOAWAY after the time of HTTP/1.1, and is cut when the client stays', async () => {
  fakeTime()
  const { openFrames, listener } = await start()
  const { socket, reader } = await openFrames()
  socket.write(head(1, get('/')))
  await reader.find(isHead(1))
  socket.write(head(3, get('/open')))
  socket.write(head(5, get('/')))
  await reader.find(isHead(5))
  // Not while a stream is open.
  vi.advanceTimersByTime(70_000)
  socket.write(head(7, get('/')))
  await reader.find(isHead(7))
  socket.write(Buffer.concat([reset(3), head(9, get('/'))]))
  await reader.find(isHead(9))
  vi.advanceTimersByTime(63_000)
  expect(reader.frames.filter(({ type }) => type === frameTypes.goaway)).toEqual([])
  vi.advanceTimersByTime(2000)
  expect(await reader.codeOf(frameTypes.goaway)).toBe(constants.NGHTTP2_NO_ERROR)
  expect(reader.frames.find(({ type }) => type === frameTypes.goaway)?.payload.readUInt32BE(0)).toBe(9)
  expect(listener.connections).toBe(1)
  vi.advanceTimersByTime(2000)
  await reader.find(() => false)
  await expect.poll(() => listener.connections).toBe(0)
})

test('a client that reads nothing and takes its streams back is cut when it is idle', async () => {
  fakeTime()
  const { openFrames, listener, left } = await start()
  const { socket, reader } = await openFrames()
  const WINDOW_UPDATE = 8
  const payload = Buffer.from([0x7f, 0, 0, 0])
  socket.write(head(1, get('/large')))
  await reader.find(isHead(1))
  socket.pause()
  // More than the kernel takes.
  for (const stream of [0, 1]) socket.write(frame({ type: WINDOW_UPDATE, flags: 0, stream, payload }))
  socket.write(reset(1))
  await left.promise
  await pass(70)
  await expect.poll(() => listener.connections).toBe(0)
})

/** Lets time pass second by second, as the listener looks at its connections. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    vi.advanceTimersByTime(1000)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

test.each([
  [
    'a head without its last frame',
    (whole: Buffer) =>
      Buffer.concat([whole.subarray(0, 4), Buffer.from([frameFlags.endStream]), whole.subarray(5)]),
  ],
  ['a frame without its last bytes', (whole: Buffer) => whole.subarray(0, whole.length - 5)],
])('a client that sends %s and then nothing is cut when it is idle', async (_title, part) => {
  fakeTime()
  const { openFrames, listener } = await start()
  const { socket, reader } = await openFrames()
  socket.write(head(1, get('/')))
  await reader.find(isHead(1))
  socket.write(part(head(3, get('/'))))
  await pass(70)
  await expect.poll(() => listener.connections).toBe(0)
})

test('a client that does not read an answer that is broken off is cut', async () => {
  fakeTime()
  const { openFrames, listener, cuts } = await start()
  const { socket, reader } = await openFrames()
  const payload = Buffer.from([0x7f, 0, 0, 0])
  const windowOf = (stream: number) => frame({ type: 8, flags: 0, stream, payload })
  // The windows are open when the answer begins, so that more is sent than the kernel takes.
  socket.write(Buffer.concat([windowOf(0), head(1, get('/large')), windowOf(1)]))
  await reader.find(isHead(1))
  socket.pause()
  for (const cut of cuts) cut()
  await pass(4)
  await expect.poll(() => listener.connections).toBe(0)
})

test('a client that leaves with open streams behind many resets is no fault', async () => {
  const { openFrames, malformed, listener } = await start()
  const { socket, reader } = await openFrames()
  for (let index = 0; index < 150; index += 1)
    socket.write(Buffer.concat([head(2 * index + 1, get('/open')), reset(2 * index + 1)]))
  for (let index = 150; index < 240; index += 1) socket.write(head(2 * index + 1, get('/open')))
  socket.write(head(481, get('/')))
  await reader.find(isHead(481))
  socket.destroy()
  await expect.poll(() => listener.connections).toBe(0)
  expect(malformed).toEqual([])
})

const postTo = (path: string) => get(path).with(0, [':method', 'POST'])

test('a body that is not read yet is held back; other streams go on, and so does the body when it is read', async () => {
  const { cert, open, held } = await start()
  const session = open(cert)
  const slow = session.request({ ':method': 'POST', ':path': '/held' })
  const PIECES = 600
  let sent = 0
  for (let index = 0; index < PIECES; index += 1) slow.write(Buffer.alloc(1000), () => (sent += 1000))
  slow.end()
  const beside = session.request({ ':method': 'POST', ':path': '/' })
  beside.end(Buffer.alloc(300_000))
  const [next] = await once(beside, 'response')
  expect(next[':status']).toBe(200)
  // The bytes that are kept for its reader, those in Node, and the window.
  expect(sent).toBeLessThan(200_000)
  held.resolve()
  const [headers] = await once(slow, 'response')
  expect(headers[':status']).toBe(200)
  expect(sent).toBe(PIECES * 1000)
})

test('a client that sends more than its window allows loses its stream or its connection', async () => {
  const { openFrames } = await start()
  const { socket, reader } = await openFrames()
  const payload = Buffer.alloc(16_000)
  const data = frame({ type: frameTypes.data, flags: 0, stream: 1, payload })
  socket.write(
    Buffer.concat([
      head(1, postTo('/held'), frameFlags.endHeaders),
      ...Array.from({ length: 30 }, () => data),
    ]),
  )
  const end = await reader.find(({ type }) => type === frameTypes.goaway || type === frameTypes.reset)
  const code = end?.payload.readUInt32BE(end.type === frameTypes.goaway ? 4 : 0)
  expect(code).toBe(constants.NGHTTP2_FLOW_CONTROL_ERROR)
})

test('a connection ends with GOAWAY after its 10,000th stream, and every stream before it is answered', async () => {
  const { openFrames } = await start()
  const { socket, reader } = await openFrames()
  const STREAMS = 10_000
  for (let first = 0; first < STREAMS; first += 100) {
    const heads = Array.from({ length: 100 }, (_, index) => head(2 * (first + index) + 1, get('/')))
    socket.write(Buffer.concat(heads))
    await reader.find(isHead(2 * (first + 99) + 1))
  }
  expect(await reader.codeOf(frameTypes.goaway)).toBe(constants.NGHTTP2_NO_ERROR)
  expect(reader.frames.find(({ type }) => type === frameTypes.goaway)?.payload.readUInt32BE(0)).toBe(
    2 * STREAMS - 1,
  )
  expect(reader.frames.filter(({ type }) => type === frameTypes.headers)).toHaveLength(STREAMS)
})
