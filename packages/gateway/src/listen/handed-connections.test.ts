import { once } from 'node:events'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { type AddressInfo, connect, createServer } from 'node:net'
import { makeCertificate } from '@agentic-rest/testing/make-certificate'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../log.ts'
import { type ConnectionReport, createHandedConnections } from './handed-connections.ts'
import { createListener, type ListenerOptions } from './listener.ts'

/** A listener whose connections another server accepts. */
async function startHanded(options: Partial<ListenerOptions> = {}) {
  const reports: ConnectionReport[] = []
  const acceptor = createServer((socket) => connections.take(socket))
  acceptor.listen(0, '127.0.0.1')
  await once(acceptor, 'listening')
  onTestFinished(() => void acceptor.close())
  const { port } = acceptor.address() as AddressInfo
  const connections = createHandedConnections({
    open: async () => port,
    report: (report) => reports.push(report),
    stop: async () => void acceptor.close(),
  })
  const listener = createListener({
    host: '127.0.0.1',
    port: 0,
    limits: {
      max_body_bytes: 1000,
      max_header_bytes: 16_384,
      max_headers: 100,
      max_connections: 100,
      max_streams_per_connection: 100,
    },
    corsOrigins: undefined,
    certificate: undefined,
    log: createLog({ level: 'error', pretty: false, write: () => undefined }),
    handle: ({ reply }) => {
      reply.head(200, ['Content-Length', '2'])
      reply.end(Buffer.from('ok'))
    },
    connections,
    ...options,
  })
  onTestFinished(() => listener.close())
  expect(await listener.open()).toBe(port)
  return { listener, port, reports }
}

async function talk(port: number, text: string, end: boolean): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })
  if (end) socket.end(text)
  else socket.write(text)
  await once(socket, 'end')
  socket.destroy()
  return answer
}

test('a client that has closed its half still gets its answer, and its end is told', async () => {
  const { port, reports, listener } = await startHanded()
  const answer = await talk(port, 'GET / HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n', true)
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nok$/s)
  await expect
    .poll(() => reports)
    .toEqual([
      { arrived: 1, ended: 0 },
      { arrived: 0, ended: 1 },
    ])
  expect(listener.connections).toBe(0)
})

test('a head that does not come to its end is answered with 408 in time', async () => {
  const { port } = await startHanded({ timeouts: { headersMs: 300, requestMs: 1000 } })
  expect(await talk(port, 'GET / HTTP/1.1\r\nHost: gate', false)).toBe(
    'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
  )
})

test('connections that were handed over speak TLS where there is a certificate', async () => {
  const { cert, key } = makeCertificate()
  const { port } = await startHanded({ certificate: { cert, key, http2: true } })
  const sent = httpsRequest({ host: '127.0.0.1', port, ca: cert, agent: false }).end()
  const [answer] = await once(sent, 'response')
  answer.resume()
  expect(answer.statusCode).toBe(200)
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: cert })
  onTestFinished(() => session.destroy())
  const [headers] = await once(session.request({ ':path': '/' }), 'response')
  expect(headers[':status']).toBe(200)
  expect(session.alpnProtocol).toBe('h2')
})
