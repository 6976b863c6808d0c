import { once } from 'node:events'
import { connect } from 'node:http2'
import { connect as connectTls } from 'node:tls'
import { expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from '../../../test/harness/make-certificate.ts'
import { createLog } from '../../log.ts'
import { createListener } from '../listener.ts'

const limits = {
  max_body_bytes: 1000,
  max_header_bytes: 16_384,
  max_headers: 100,
  max_connections: 100,
  max_streams_per_connection: 100,
}

async function start() {
  const { cert, key } = makeCertificate()
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
    async handle({ path, body, reply }) {
      if (path !== '/unread') await body.read(1000).catch(() => undefined)
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
  return { listener, port, cert, malformed, open }
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
  listener.drain()
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
