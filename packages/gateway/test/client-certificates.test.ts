import { hash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { makeCertificate, type TestCertificate, writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { SignJWT } from 'jose'
import { describe, expect, it, onTestFinished } from 'vitest'
import { InitialisationError } from '../src/index.ts'
import { expectRefusal } from './harness/expect-outcome.ts'
import { followSocket, openConnection } from './harness/raw-connection.ts'
import { applied, startReloadable } from './reload/start-reloadable.ts'
import { startSupervisor } from './workers/start-supervisor.ts'

const SECRET = 'a-shared-secret-of-more-than-32-characters'

const plugins = {
  'token-validator': {
    issuers: [{ issuer: 'tests', audience: ['agentic'], algorithms: ['HS256'], hs256_secret: SECRET }],
  },
}

const tokenWith = (claims: Record<string, unknown> = {}) =>
  new SignJWT({ sub: 'alice', tenant_id: 'acme', ...claims })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('tests')
    .setAudience('agentic')
    .setExpirationTime('1m')
    .sign(Buffer.from(SECRET))

const digestOf = ({ cert }: TestCertificate) => hash('sha256', new X509Certificate(cert).raw, 'base64url')

const boundTo = (certificate: TestCertificate) => tokenWith({ cnf: { 'x5t#S256': digestOf(certificate) } })

const get = (token: string) => `GET /r HTTP/1.1\r\nHost: gateway\r\nAuthorization: Bearer ${token}\r\n\r\n`

const root = makeCertificate({ name: 'clients', authority: true })
const server = makeCertificate()
const alice = makeCertificate({ name: 'alice', issuer: root })
const bob = makeCertificate({ name: 'bob', issuer: root })
const stranger = makeCertificate({ name: 'stranger' })
const expired = makeCertificate({
  name: 'alice',
  issuer: root,
  notBefore: new Date(0),
  notAfter: new Date(Date.now() - 1000),
})

async function configWith(mode: 'request' | 'require' | undefined) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const files = writeFiles({ cert: server.cert, key: server.key, ca: root.cert })
  const client_certificate = mode === undefined ? {} : { client_certificate: mode }
  const tls = {
    cert_file: files.cert,
    key_file: files.key,
    client_ca_file: files.ca,
    ...client_certificate,
  }
  const routes = [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }]
  return { files, config: { gateway: { tls }, plugins, routes } }
}

async function openTls(port: number, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: server.cert, ...options })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'secureConnect')
  socket.on('error', () => undefined)
  return socket
}

/** Sends a token over two connections, of which the second resumes the session of the first. */
async function askTwice(port: number, token: string, options: ConnectionOptions) {
  const socket = connect({ host: '127.0.0.1', port, ca: server.cert, ...options })
  onTestFinished(() => void socket.destroy())
  // With TLS 1.2 the session is there before the connection.
  const established = once(socket, 'session')
  const { send, response } = followSocket(socket)
  send(get(token))
  const first = await response()
  const [session] = await established
  const again = await openTls(port, { ...options, session })
  expect(again.isSessionReused()).toBe(true)
  const followed = followSocket(again)
  followed.send(get(token))
  return [first, await followed.response()] as const
}

const own = ({ cert, key }: TestCertificate) => ({ cert, key })

async function ask(port: number, token: string, options: ConnectionOptions = {}) {
  const { send, response } = followSocket(await openTls(port, options))
  send(get(token))
  return await response()
}

/** The status of an answer, or the error of the connection. */
function outcomeOf(port: number, token: string, options: ConnectionOptions = {}) {
  const headers = { authorization: `Bearer ${token}` }
  return new Promise<number | string | undefined>((resolve) => {
    const asking = request({
      host: '127.0.0.1',
      port,
      path: '/r',
      headers,
      ca: server.cert,
      agent: false,
      ...options,
    })
    asking.on('response', (response) => resolve(response.resume().statusCode))
    asking.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    asking.end()
  })
}

describe('client_certificate: require', () => {
  it('takes no connection without a valid certificate', async () => {
    const { config } = await configWith('require')
    const { port } = await startGateway(config)
    const token = await tokenWith()
    expect(await outcomeOf(port, token, own(alice))).toBe(200)
    expect(await outcomeOf(port, token)).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
    expect(await outcomeOf(port, token, own(stranger))).toBe('ECONNRESET')
    expect(await outcomeOf(port, token, own(expired))).toBe('ECONNRESET')
    const old = { maxVersion: 'TLSv1.2' as const }
    expect(await outcomeOf(port, token, old)).toBe('EPROTO')
    expect(await outcomeOf(port, token, { ...old, ...own(stranger) })).toBe('ECONNRESET')
    expect(await outcomeOf(port, token, { ...old, ...own(alice) })).toBe(200)
  })

  it('goes on after a reload, with the new certificate and the new authorities', async () => {
    const { config, files } = await configWith('require')
    const { port, reloadTo } = await startReloadable(config)
    const token = await tokenWith()
    const first = await openTls(port, { ...own(alice), maxVersion: 'TLSv1.3' })
    const [session] = await once(first, 'session')
    const renewed = makeCertificate({ name: 'renewed' })
    const newRoot = makeCertificate({ name: 'new clients', authority: true })
    const carol = makeCertificate({ name: 'carol', issuer: newRoot })
    writeFileSync(files.cert, renewed.cert)
    writeFileSync(files.key, renewed.key)
    writeFileSync(files.ca, newRoot.cert)
    expect(await reloadTo(config)).toMatchObject(applied)
    const trusting = { ca: renewed.cert }
    expect(await outcomeOf(port, token, { ...own(carol), ...trusting })).toBe(200)
    expect(await outcomeOf(port, token, { ...own(alice), ...trusting })).toBe('ECONNRESET')
    expect(await outcomeOf(port, token, { ...own(alice), ...trusting, session })).toBe('ECONNRESET')
    expect(await outcomeOf(port, token, trusting)).toBe('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED')
  })

  it('ends a connection of former authorities with its next answer', async () => {
    const { config, files } = await configWith('require')
    const { port, reloadTo } = await startReloadable(config)
    const token = await boundTo(alice)
    const sockets = [await openTls(port, own(alice)), await openTls(port, own(alice))]
    const [used, silent] = sockets.map(followSocket)
    used?.send(get(token))
    expect((await used?.response())?.headers['connection']).toBe('keep-alive')
    expect(await reloadTo(config)).toMatchObject(applied)
    used?.send(get(token))
    expect((await used?.response())?.headers['connection']).toBe('keep-alive')
    writeFileSync(files.ca, makeCertificate({ name: 'new clients', authority: true }).cert)
    expect(await reloadTo(config)).toMatchObject(applied)
    for (const followed of [used, silent]) {
      followed?.send(get(token))
      expect((await followed?.response())?.headers['connection']).toBe('close')
    }
  })

  it('cannot be changed to request by a reload', async () => {
    const { config } = await configWith('require')
    const { reloadTo } = await startReloadable(config)
    const { client_certificate: _, ...tls } = { client_certificate: 'require', ...config.gateway.tls }
    expect(await reloadTo({ ...config, gateway: { tls } })).toMatchObject({
      result: 'refused',
      faults: [expect.stringContaining('gateway.tls.client_certificate: cannot change without a restart')],
    })
  })
})

describe('a token that is bound to a certificate', () => {
  it('is taken with that certificate alone, request by request', async () => {
    const { config } = await configWith(undefined)
    const { port } = await startGateway(config)
    const token = await boundTo(alice)
    for (let round = 0; round < 2; round += 1) {
      expect((await ask(port, token, own(alice))).status).toBe(200)
      expectRefusal(await ask(port, token, own(bob)), 401, 'INVALID_TOKEN')
      expectRefusal(await ask(port, token), 401, 'INVALID_TOKEN')
    }
    const unbound = await tokenWith()
    expect((await ask(port, unbound)).status).toBe(200)
    expect((await ask(port, unbound, own(stranger))).status).toBe(200)
  })

  it.each([
    ['of another authority', stranger],
    ['that has expired', expired],
  ])('is refused with a certificate %s, which counts as none', async (_title, certificate) => {
    const { config } = await configWith('request')
    const { port } = await startGateway(config)
    const token = await boundTo(certificate)
    for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
      for (const answer of await askTwice(port, token, { ...own(certificate), maxVersion }))
        expectRefusal(answer, 401, 'INVALID_TOKEN')
    }
  })

  it('is refused when it is bound to something else, or to more', async () => {
    const { config } = await configWith('request')
    const { port } = await startGateway(config)
    const digest = digestOf(alice)
    for (const cnf of [
      { jkt: digest },
      { 'x5t#S256': digest, jkt: digest },
      { 'x5t#S256': [digest] },
      { 'x5t#S256': '' },
      {},
      null,
      digest,
    ])
      expectRefusal(await ask(port, await tokenWith({ cnf }), own(alice)), 401, 'INVALID_TOKEN')
  })

  it('is refused by a listener without TLS', async () => {
    const { config } = await configWith('request')
    const { port } = await startGateway({ ...config, gateway: {} })
    const { send, response } = await openConnection(port)
    send(get(await boundTo(alice)))
    expectRefusal(await response(), 401, 'INVALID_TOKEN')
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('is taken in a resumed session of %s', async (maxVersion) => {
    const { config } = await configWith('request')
    const { port } = await startGateway(config)
    const token = await boundTo(alice)
    for (const { status } of await askTwice(port, token, { ...own(alice), maxVersion }))
      expect(status).toBe(200)
    for (const options of [own(bob), {}])
      for (const answer of await askTwice(port, token, { ...options, maxVersion }))
        expectRefusal(answer, 401, 'INVALID_TOKEN')
  })

  it('is taken by workers, to which connections are handed over', async () => {
    const { config } = await configWith('request')
    const started = await startSupervisor({ ...config, gateway: { ...config.gateway, workers: 2 } })
    const port = Number(new URL(started.url).port)
    const token = await boundTo(alice)
    for (let round = 0; round < 4; round += 1) {
      expect((await ask(port, token, own(alice))).status).toBe(200)
      expectRefusal(await ask(port, token, own(bob)), 401, 'INVALID_TOKEN')
    }
  })
})

it.each([
  ['nothing', 'gateway.tls.client_ca_file is not a PEM certificate'],
  [undefined, 'gateway.tls.client_ca_file: cannot read the file (ENOENT)'],
])('authorities that cannot be used end the start and name their key: %s', async (text, message) => {
  const { config, files } = await configWith('request')
  const ca = text === undefined ? '/nonexistent/ca.pem' : writeFiles({ ca: text }).ca
  const tls = { cert_file: files.cert, key_file: files.key, client_ca_file: ca }
  await expect(startGateway({ ...config, gateway: { tls } })).rejects.toThrow(
    new InitialisationError(message),
  )
})
