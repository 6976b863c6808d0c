import { randomBytes } from 'node:crypto'
import { headerValues } from '@agentic-rest/testing/send-request'
import { secretKey, signToken } from '@agentic-rest/testing/sign-token'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, it } from 'vitest'
import { openConnection } from './harness/raw-connection.ts'

const secret = randomBytes(24).toString('hex')
const issuer = 'http://issuer.test'

const tokenValidator = {
  issuers: [
    {
      issuer,
      audience: ['agentic'],
      algorithms: ['HS256'],
      hs256_secret: secret,
    },
  ],
}

const tokenWith = (claims: Record<string, unknown>) => signToken(issuer, secretKey(secret), { claims })

interface Question {
  readonly headers?: readonly string[]
  readonly route?: Record<string, unknown>
  readonly plugins?: Record<string, unknown>
}

/** Sends one request and returns what the upstream saw of its headers. */
async function forwarded({ headers = [], route = {}, plugins = {} }: Question) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: { ok: true } }))
  const { port } = await startGateway({
    plugins,
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url, ...route }],
  })
  const { send, response } = await openConnection(port)
  const lines = headers.map((line) => `${line}\r\n`).join('')
  send(Buffer.from(`GET /r HTTP/1.1\r\nHost: gateway.example\r\n${lines}\r\n`, 'latin1'))
  const answer = await response()
  expect(answer.status, answer.body).toBe(200)
  const [received] = upstream.requests
  if (received === undefined) throw new Error('nothing was forwarded')
  return { ...received, values: (name: string) => headerValues(received, name) }
}

const ids = ['X-Correlation-ID: 4bf92f35-77b3-4da6-a3ce-929d0e0e4736', 'X-Request-ID: r']
const acme = 'X-Tenant-ID: acme'

describe('what the upstream is told', () => {
  it('is exactly the headers of decision 16, once each, and those of the client', async () => {
    const token = await tokenWith({ sub: 'alice', roles: ['reader', 'writer'], tenant_id: 'acme' })
    const { rawHeaders, url, method } = await forwarded({
      plugins: { 'token-validator': tokenValidator },
      headers: [
        ...ids,
        `Authorization: Bearer ${token}`,
        'X-Actor-Principal: bob',
        'Idempotency-Key: k-1',
        'X-Approval-Token: approve-me',
        'Accept: application/json',
        'User-Agent: test',
        'X-Custom: \xfcml\xe4ut',
      ],
    })
    const pairs = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name, rawHeaders[index + 1]]] : [],
    )
    expect({ method, url }).toEqual({ method: 'GET', url: '/r' })
    expect(pairs).toEqual([
      ['host', expect.stringMatching(/^127\.0\.0\.1:\d+$/)],
      ['connection', 'keep-alive'],
      ['Accept', 'application/json'],
      ['User-Agent', 'test'],
      ['X-Custom', '\xfcml\xe4ut'],
      ['X-Correlation-ID', '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'],
      ['X-Request-ID', 'r'],
      ['X-Tenant-ID', 'acme'],
      ['X-Actor-Principal', 'bob'],
      ['X-Actor-Subject', 'alice'],
      ['X-Actor-Issuer', 'http://issuer.test'],
      ['X-Actor-Roles', 'reader,writer'],
      ['Idempotency-Key', 'k-1'],
      ['X-Approval-Token', 'approve-me'],
      ['Authorization', `Bearer ${token}`],
      ['traceparent', expect.stringMatching(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)],
      ['X-Forwarded-For', '127.0.0.1'],
      ['X-Forwarded-Proto', 'http'],
      ['X-Forwarded-Host', 'gateway.example'],
    ])
  })

  it('does not include the token on a route with forwardAuthorization: false', async () => {
    const token = await tokenWith({ sub: 'alice', tenant_id: 'acme' })
    const { rawHeaders, values } = await forwarded({
      plugins: { 'token-validator': tokenValidator },
      route: { forwardAuthorization: false },
      headers: [`Authorization: Bearer ${token}`, `X-Authorization: kept`],
    })
    expect(values('authorization')).toEqual([])
    expect(JSON.stringify(rawHeaders)).not.toContain(token)
    expect(values('x-actor-subject')).toEqual(['alice'])
    expect(values('x-authorization')).toEqual(['kept'])
  })

  it('does not include what nobody has said', async () => {
    const { rawHeaders } = await forwarded({ headers: [acme] })
    const names = rawHeaders.filter((_value, index) => index % 2 === 0)
    expect(names).not.toContain('Idempotency-Key')
    expect(names).not.toContain('X-Approval-Token')
    expect(names).not.toContain('Authorization')
    expect(rawHeaders).not.toContain('')
  })

  it('has the address of the client alone in X-Forwarded-For, whatever the client says', async () => {
    const { values } = await forwarded({
      headers: [
        acme,
        'X-Forwarded-For: 10.0.0.1, 10.0.0.2',
        'X-Forwarded-Proto: https',
        'X-Forwarded-Host: bank.example',
        'Forwarded: for=10.0.0.1',
        'tracestate: vendor=of-another-traceparent',
      ],
    })
    expect(values('x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(values('x-forwarded-proto')).toEqual(['http'])
    expect(values('x-forwarded-host')).toEqual(['gateway.example'])
    expect(values('forwarded')).toEqual([])
    expect(values('tracestate')).toEqual([])
  })
})

/** Every gateway-owned header that a client could want to speak in another spelling. */
const owned = [
  'X-Tenant-ID',
  'X-Actor-Principal',
  'X-Actor-Subject',
  'X-Actor-Roles',
  'X-Correlation-ID',
  'X-Request-ID',
  'Idempotency-Key',
  'X-Approval-Token',
  'Authorization',
  'traceparent',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'X-Forwarded-Host',
]

describe('a gateway-owned header of the client', () => {
  it.each(owned)('does not pass in any other spelling: %s', async (name) => {
    const spellings = [
      name.replaceAll('-', '_'),
      name.replaceAll('-', '.'),
      name.replace('-', '_').toUpperCase(),
    ]
    const odd = new Set(spellings.filter((spelling) => spelling.toLowerCase() !== name.toLowerCase()))
    const { rawHeaders } = await forwarded({
      headers: [acme, ...[...odd].map((spelling) => `${spelling}: evil`)],
    })
    expect(rawHeaders.filter((text) => text === 'evil')).toEqual([])
  })

  it('does not pass when the gateway has nothing to put in its place', async () => {
    const { values } = await forwarded({
      headers: [acme, 'X-Actor-Subject: root', 'X-Actor-Roles: admin', 'x-actor-subject: root'],
    })
    expect(values('x-actor-subject')).toEqual([])
    expect(values('x-actor-roles')).toEqual([])
  })

  it('cannot be taken away by naming it in Connection (F16)', async () => {
    const token = await tokenWith({ sub: 'alice', roles: ['reader'], tenant_id: 'acme' })
    const { values } = await forwarded({
      plugins: { 'token-validator': tokenValidator },
      headers: [
        ...ids,
        `Authorization: Bearer ${token}`,
        'Idempotency-Key: k',
        `Connection: ${owned.join(', ')}`,
      ],
    })
    expect(values('x-tenant-id')).toEqual(['acme'])
    expect(values('x-actor-subject')).toEqual(['alice'])
    expect(values('x-actor-roles')).toEqual(['reader'])
    expect(values('x-request-id')).toEqual(['r'])
    expect(values('idempotency-key')).toEqual(['k'])
    expect(values('authorization')).toEqual([`Bearer ${token}`])
    expect(values('x-forwarded-for')).toEqual(['127.0.0.1'])
    expect(values('traceparent')).toHaveLength(1)
  })
})

describe('a header that belongs to one connection', () => {
  it('does not pass, nor does what Connection names', async () => {
    const { values, rawHeaders } = await forwarded({
      headers: [
        acme,
        'Connection: keep-alive, X-Hop',
        'connection: x-other',
        'X-Hop: evil',
        'X-Other: evil',
        'Keep-Alive: evil',
        'Proxy-Connection: evil',
        'Proxy-Authorization: evil',
        'Proxy-Authenticate: evil',
        'TE: evil',
        'Trailer: evil',
        'Upgrade: evil',
        'X-End-To-End: kept',
      ],
    })
    expect(rawHeaders.filter((text) => text === 'evil')).toEqual([])
    expect(values('connection')).toEqual(['keep-alive'])
    expect(values('x-end-to-end')).toEqual(['kept'])
  })

  it('does not pass in a spelling that some servers read as the same header', async () => {
    const { rawHeaders } = await forwarded({
      headers: [
        acme,
        'Content_Length: 666',
        'Transfer_Encoding: 666',
        'Proxy_Connection: 666',
        'X.Content: kept',
      ],
    })
    expect(rawHeaders).not.toContain('666')
    expect(rawHeaders).toContain('kept')
  })
})

describe('a header with the name of a property that every object has', () => {
  it('passes like any other', async () => {
    const { values } = await forwarded({
      headers: [acme, '__proto__: a', 'constructor: b', 'toString: c', 'hasOwnProperty: d'],
    })
    expect(values('__proto__')).toEqual(['a'])
    expect(values('constructor')).toEqual(['b'])
    expect(values('tostring')).toEqual(['c'])
    expect(values('hasownproperty')).toEqual(['d'])
  })
})
