import { once } from 'node:events'
import { request as httpsRequest } from 'node:https'
import { type ConnectionOptions, connect as tlsConnect } from 'node:tls'
import { makeCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../src/index.ts'
import { expectRefusal } from './harness/expect-outcome.ts'
import { openSocket } from './harness/raw-client.ts'
import { followSocket } from './harness/raw-connection.ts'

async function start() {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { cert, key } = makeCertificate()
  const files = writeFiles({ cert, key })
  const { port } = await startGateway({
    gateway: { tls: { cert_file: files.cert, key_file: files.key } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const open = async (options: ConnectionOptions = {}) => {
    const socket = tlsConnect({ host: '127.0.0.1', port, ca: cert, ...options })
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined)
    await once(socket, 'secureConnect')
    return socket
  }
  return { upstream, port, cert, open }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: gateway\r\nX-Tenant-ID: acme\r\n\r\n`

describe('a gateway with a certificate', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'serves over %s and tells the upstream about https',
    async (version) => {
      const { open, upstream } = await start()
      const socket = await open({ minVersion: version, maxVersion: version })
      expect(socket.getProtocol()).toBe(version)
      const { send, response } = followSocket(socket)
      send(get('/r'))
      const answer = await response()
      expect(answer).toMatchObject({
        status: 200,
        body: '{"ok":true}',
        headers: { 'x-agentic-profile': 'v0.3' },
      })
      expect(upstream.requests[0]?.headers).toMatchObject({
        'x-forwarded-proto': 'https',
        'x-forwarded-for': '127.0.0.1',
        'x-forwarded-host': 'gateway',
      })
      send(get('/none'))
      expectRefusal(await response(), 404, 'ROUTE_NOT_FOUND')
    },
  )

  it('refuses anything older than TLS 1.2', async () => {
    const { port, cert, open } = await start()
    const socket = tlsConnect({
      host: '127.0.0.1',
      port,
      ca: cert,
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT:@SECLEVEL=0',
    })
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => socket.once('error', resolve))
    expect(error.code).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
    expect((await open()).getProtocol()).toBe('TLSv1.3')
  })

  it('refuses a second handshake on a connection', async () => {
    const { open } = await start()
    const socket = await open({ maxVersion: 'TLSv1.2' })
    const refusal = await new Promise<Error | null>((resolve) => {
      socket.renegotiate({}, resolve)
      socket.once('error', resolve)
    })
    expect(refusal).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
  })

  it('closes on a client that speaks no TLS, answers nothing and stays alive', async () => {
    const { port, open } = await start()
    for (const bytes of [get('/r'), '\x16\x03\x01garbage'.repeat(10), '\0'.repeat(100)]) {
      const plain = followSocket(await openSocket(port))
      plain.send(bytes)
      // The handshake ends with an alert record at most, never with HTTP in plain text.
      expect(await plain.closed()).not.toContain('HTTP')
    }
    const { send, response } = followSocket(await open())
    send(get('/healthz'))
    expect((await response()).status).toBe(200)
  })

  it('answers malformed HTTP inside TLS as it does outside', async () => {
    const { open } = await start()
    const { send, closed } = followSocket(await open())
    send('garbage\r\n\r\n')
    expect(await closed()).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
  })

  it('answers CONNECT inside TLS and survives a reset behind it', async () => {
    const { open } = await start()
    const socket = await open()
    const { send, response } = followSocket(socket)
    send('CONNECT a:1 HTTP/1.1\r\nHost: gateway\r\n\r\n')
    expectRefusal(await response(), 405, 'METHOD_NOT_ALLOWED')
    socket.destroy()
    const again = followSocket(await open())
    again.send(get('/healthz'))
    expect((await again.response()).status).toBe(200)
  })

  it('sends the chain of its certificate', async () => {
    const root = makeCertificate({ name: 'root', authority: true })
    const middle = makeCertificate({ name: 'middle', authority: true, issuer: root })
    const leaf = makeCertificate({ name: 'leaf', issuer: middle })
    const files = writeFiles({ cert: leaf.cert + middle.cert, key: leaf.key })
    const { port } = await startGateway({
      gateway: { tls: { cert_file: files.cert, key_file: files.key } },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }],
    })
    const status = await new Promise((resolve, reject) => {
      const request = httpsRequest({ host: '127.0.0.1', port, path: '/healthz', ca: root.cert, agent: false })
      request.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
      request.end()
    })
    expect(status).toBe(200)
  })
})

describe('a certificate that cannot be used', () => {
  const good = makeCertificate()
  const other = makeCertificate()
  const yesterday = new Date(Date.now() - 86_400_000)
  const tomorrow = new Date(Date.now() + 86_400_000)
  const expired = makeCertificate({ notBefore: new Date(0), notAfter: yesterday })
  const early = makeCertificate({ notBefore: tomorrow, notAfter: new Date(Date.now() + 2 * 86_400_000) })
  const weak = makeCertificate({ rsaBits: 1024 })
  const locked = String(
    good.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' }),
  )

  it.each([
    [
      'a key of another certificate',
      good.cert,
      other.key,
      'gateway.tls.key_file does not belong to gateway.tls.cert_file',
    ],
    ['expired', expired.cert, expired.key, 'gateway.tls.cert_file has expired'],
    ['not valid yet', early.cert, early.key, 'gateway.tls.cert_file is not valid yet'],
    ['not a certificate', 'nothing', good.key, 'gateway.tls.cert_file is not a PEM certificate'],
    [
      'a key where the certificate belongs',
      good.key,
      good.key,
      'gateway.tls.cert_file is not a PEM certificate',
    ],
    ['not a key', good.cert, 'nothing', 'gateway.tls.key_file is not a usable private key'],
    ['a key with a passphrase', good.cert, locked, 'gateway.tls.key_file is not a usable private key'],
    ['a key that is too weak', weak.cert, weak.key, 'gateway.tls cannot be used (ERR_SSL_EE_KEY_TOO_SMALL)'],
    [
      'a chain that is broken',
      `${good.cert}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
      good.key,
      'gateway.tls.cert_file is not a PEM certificate',
    ],
  ])('fails the start and names its key: %s', async (_title, cert, key, message) => {
    const files = writeFiles({ cert, key })
    const started = startGateway({
      gateway: { tls: { cert_file: files.cert, key_file: files.key } },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }],
    })
    await expect(started).rejects.toThrow(InitialisationError)
    await expect(started).rejects.toThrow(new InitialisationError(message))
  })

  it.each(['cert_file', 'key_file'])('fails the start and names its key: %s cannot be read', async (key) => {
    const files = writeFiles({ cert: good.cert, key: good.key })
    const tls = { cert_file: files.cert, key_file: files.key, [key]: '/nonexistent/file.pem' }
    const started = startGateway({
      gateway: { tls },
      routes: [{ id: 'r', method: 'GET', path: '/r', target: 'http://127.0.0.1:1' }],
    })
    await expect(started).rejects.toThrow(
      new InitialisationError(`gateway.tls.${key}: cannot read the file (ENOENT)`),
    )
  })
})
