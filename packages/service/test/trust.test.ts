import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { startServer } from '@agentic-rest/testing/start-server'
import { memoryLog, startService } from '@agentic-rest/testing/start-service'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { SignJWT } from 'jose'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { createService, defineOperation, success, type TrustOptions } from '../src/index.ts'
import { type Answer, ask, expectAnswer, trace } from './harness/ask.ts'

afterEach(() => void vi.restoreAllMocks())

const whoami = defineOperation({
  id: 'whoami',
  method: 'POST',
  path: '/whoami',
  input: z.object({ text: z.string().optional() }),
  run: ({ tenant, subject, issuer, actor, roles }) => success({ tenant, subject, issuer, actor, roles }),
})
const read = defineOperation({ id: 'read', method: 'GET', path: '/read', run: () => success({}) })

interface Signer {
  readonly alg: string
  readonly kid: string | undefined
  readonly privateKey: KeyObject | Uint8Array
  readonly jwk: Record<string, unknown>
}

function newSigner(kid: string | undefined = 'k-1', type: 'ed25519' | 'ec' = 'ed25519'): Signer {
  const { privateKey, publicKey } =
    type === 'ec' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519')
  const jwk = { ...publicKey.export({ format: 'jwk' }), ...(kid !== undefined && { kid }), use: 'sig' }
  return { alg: type === 'ec' ? 'ES256' : 'EdDSA', kid, privateKey, jwk }
}

const ISSUER = 'agentic-gateway'
const now = () => Math.floor(Date.now() / 1000)

interface Signing {
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Record<string, unknown>
}

/** A token as the gateway signs it. `undefined` removes a claim. */
function sign(
  { alg, kid, privateKey }: Signer,
  aud: string,
  { claims, header }: Signing = {},
): Promise<string> {
  const usual = {
    iss: ISSUER,
    aud,
    sub: 'alice',
    act_iss: 'https://id.example',
    tenant: 'acme',
    roles: ['reader', 'writer'],
    exp: now() + 60,
  }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg, typ: 'agentic-identity+jwt', ...(kid !== undefined && { kid }), ...header })
    .sign(privateKey)
}

const plain = {
  'x-tenant-id': 'globex',
  'x-actor-subject': 'mallory',
  'x-actor-issuer': 'https://evil.example',
  'x-actor-principal': 'Mallory',
  'x-actor-roles': 'admin',
}

async function startTrusting(trust: TrustOptions, more: { maxBodyBytes?: number } = {}) {
  const started = await startService({ operations: [whoami, read], trust, ...more })
  const send = (token: string | undefined, body = '{}') =>
    ask(`${started.url}/whoami`, {
      body,
      headers: { ...plain, 'content-type': 'application/json', 'x-agentic-identity': token },
    })
  return { ...started, send }
}

/** A GET with a `Host` of one's choice, which `fetch` does not send. */
async function askRaw(url: string, path: string, headers: Record<string, string>): Promise<Answer> {
  const ids = { 'x-correlation-id': trace.correlationId, 'x-request-id': trace.requestId }
  const sent = request(url + path, { headers: { ...ids, ...headers } }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const all = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)])
  return { status: answer.statusCode ?? 0, headers: new Headers(all), text: await text(answer) }
}

const alice = {
  tenant: 'acme',
  subject: 'alice',
  issuer: 'https://id.example',
  actor: 'alice',
  roles: ['reader', 'writer'],
}

function expectRefused(answer: Answer, code: 'IDENTITY_REQUIRED' | 'IDENTITY_INVALID'): void {
  const message =
    code === 'IDENTITY_REQUIRED'
      ? 'The request has no identity that a gateway has signed.'
      : 'The signed identity of the request is not valid here.'
  expectAnswer(answer, 403, { type: 'forbidden', code, message })
}

describe('a service that trusts a gateway', () => {
  it.each([
    ['Ed25519', newSigner('k-1')],
    ['P-256', newSigner('k-1', 'ec')],
    ['a key without an id', newSigner('')],
  ])('believes what is signed (%s), and no plain header', async (_title, given) => {
    const signer = given.kid === '' ? newSigner(undefined) : given
    const { url, send, audit } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const token = await sign(signer, url)
    expectAnswer(await send(token), 200, alice)
    // The second time from the cache.
    expectAnswer(await send(token), 200, alice)
    expect(audit[0]).toMatchObject({
      tenant_id: 'acme',
      actor_id: 'alice',
      attributes: { token_sub: 'alice', issuer: 'https://id.example' },
    })
  })

  it('refuses a request without an identity, whatever its plain headers say', async () => {
    const { url, send } = await startTrusting({ jwks: { keys: [newSigner().jwk] }, issuer: ISSUER })
    expectRefused(await send(undefined), 'IDENTITY_REQUIRED')
    expectRefused(await send(''), 'IDENTITY_REQUIRED')
    expectRefused(await ask(`${url}/read`), 'IDENTITY_REQUIRED')
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200)
  })

  it.each<[string, Signing]>([
    ['of another issuer', { claims: { iss: 'another' } }],
    ['without an issuer', { claims: { iss: undefined } }],
    ['for another audience', { claims: { aud: 'http://127.0.0.1:1' } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['that has expired', { claims: { exp: now() - 60 } }],
    ['without an expiry', { claims: { exp: undefined } }],
    ['that is not valid yet', { claims: { nbf: now() + 600 } }],
    ['of another type', { header: { typ: 'at+jwt' } }],
    ['without a type', { header: { typ: undefined } }],
    ['of an unknown key', { header: { kid: 'k-2' } }],
    ['with a tenant that is no text', { claims: { tenant: 7 } }],
    ['with a subject of 513 bytes', { claims: { sub: 's'.repeat(513) } }],
    ['with roles that are no list', { claims: { roles: 'admin' } }],
    ['with a role that is no text', { claims: { roles: [1] } }],
  ])('refuses a token %s', async (_title, signing) => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    expectRefused(await send(await sign(signer, url, signing)), 'IDENTITY_INVALID')
  })

  it('refuses forged, unsigned and symmetric tokens, and text that is none', async () => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const token = await sign(signer, url)
    const [header = '', payload = '', signature = ''] = token.split('.')
    const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const none = encode({ alg: 'none', typ: 'agentic-identity+jwt', kid: 'k-1' })
    // The public key as an HMAC secret.
    const secret = Buffer.from(String(signer.jwk['x']), 'base64url')
    const hmac = { ...signer, alg: 'HS256', privateKey: new Uint8Array(secret) }
    const others = [
      await sign({ ...newSigner(), kid: 'k-1' }, url),
      await sign(hmac, url),
      await sign({ ...newSigner('k-1', 'ec') }, url),
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${encode({ ...alice, iss: ISSUER, aud: url, exp: now() + 60 })}.${signature}`,
      `${token}, ${token}`,
      `Bearer ${token}`,
      'x.y.z',
      'x',
      `${token}${'x'.repeat(17_000 - token.length)}`,
    ]
    for (const other of others) {
      const answer = await send(other).catch(() => undefined)
      // Node refuses heads above 16 KiB itself.
      if (other.length < 16_000 || answer?.status === 403)
        expectRefused(answer ?? expect.fail('no answer'), 'IDENTITY_INVALID')
    }
    expectAnswer(await send(token), 200, alice)
  })

  it('compares the address and port of its socket, also for a cached token, and never Host', async () => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const other = 'http://neighbour.example:8082'
    const { port } = new URL(url)
    for (const aud of [
      other,
      'http://127.0.0.1:8082',
      `http://neighbour.example:${port}`,
      `https://127.0.0.1:${port}`,
    ]) {
      const token = await sign(signer, aud)
      const headers = { host: new URL(aud).host, 'x-agentic-identity': token }
      // Twice: the second time it is known.
      for (let round = 0; round < 2; round += 1)
        expectRefused(await askRaw(url, '/read', headers), 'IDENTITY_INVALID')
    }
    expectAnswer(await send(await sign(signer, `http://localhost:${port}`)), 200, alice)
    const token = await sign(signer, url)
    expectAnswer(
      await askRaw(url, '/read', { host: 'neighbour.example', 'x-agentic-identity': token }),
      200,
      {},
    )
  })

  it('needs an audience where nobody tells it the socket', async () => {
    const signer = newSigner()
    const { log, lines } = memoryLog()
    const trust = { jwks: { keys: [signer.jwk] }, issuer: ISSUER }
    const ask = async (options: Partial<TrustOptions>) => {
      const service = createService({ operations: [read], log, trust: { ...trust, ...options } })
      const headers = { 'x-agentic-identity': await sign(signer, 'http://one.example') }
      const { status } = await service.fetch(new Request('http://one.example/read', { headers }))
      await service.close()
      return status
    }
    expect(await ask({})).toBe(403)
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'an identity was refused',
        fields: { cause: 'the socket is not known, set trust.audience' },
      },
    ])
    expect(await ask({ audience: 'http://one.example' })).toBe(200)
  })

  it('knows the socket below a Hono app', async () => {
    const signer = newSigner()
    const trust = { jwks: { keys: [signer.jwk] }, issuer: ISSUER }
    const service = createService({ operations: [read], log: memoryLog().log, trust })
    onTestFinished(() => service.close())
    const app = new Hono().mount('/agent', service.fetch)
    const { url } = await startServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }))
    const send = async (aud: string) =>
      (await ask(`${url}/agent/read`, { headers: { 'x-agentic-identity': await sign(signer, aud) } })).status
    expect([await send(url), await send('http://127.0.0.1:1')]).toEqual([200, 403])
  })

  it('refuses a cached token when it has expired', async () => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const token = await sign(signer, url)
    expectAnswer(await send(token), 200, alice)
    const later = Date.now() + 100_000
    vi.useFakeTimers({ toFake: ['Date'], now: later })
    try {
      expectRefused(await send(token), 'IDENTITY_INVALID')
    } finally {
      vi.useRealTimers()
    }
  })

  it('compares with its own audience where it has one', async () => {
    const signer = newSigner()
    const audience = ['https://campaigns.example', 'https://other.example']
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER, audience })
    expectAnswer(await send(await sign(signer, 'https://other.example')), 200, alice)
    expectRefused(await send(await sign(signer, url)), 'IDENTITY_INVALID')
  })

  it('knows callers without a subject, and needs a tenant', async () => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const nobody = { sub: undefined, act_iss: undefined, roles: undefined }
    expectAnswer(await send(await sign(signer, url, { claims: nobody })), 200, {
      tenant: 'acme',
      actor: '',
      roles: [],
    })
    const answer = await send(await sign(signer, url, { claims: { tenant: undefined } }))
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'TENANT_REQUIRED' })
    const named = await send(await sign(signer, url, { claims: { actor: 'Alice A.' } }))
    expectAnswer(named, 200, { ...alice, actor: 'Alice A.' })
  })
})

describe('a signed digest of the body', () => {
  it('is compared with the body that arrives', async () => {
    const signer = newSigner()
    const { url, send } = await startTrusting({ jwks: { keys: [signer.jwk] }, issuer: ISSUER })
    const body = '{"text":"pay 5"}'
    const bsha = createHash('sha256').update(body).digest('base64url')
    const token = await sign(signer, url, { claims: { bsha } })
    expectAnswer(await send(token, body), 200, alice)
    expectRefused(await send(token, '{"text":"pay 500"}'), 'IDENTITY_INVALID')
    expectRefused(await send(token, ''), 'IDENTITY_INVALID')
    expectRefused(await send(await sign(signer, url, { claims: { bsha: 'x' } }), body), 'IDENTITY_INVALID')
  })
})

describe('the keys of a gateway', () => {
  /** A gateway's key set that counts its requests. */
  async function startKeys(initial: readonly Signer[]) {
    const state = { signers: initial, status: 200, asked: 0 }
    const { url: origin } = await startServer((_request, response) => {
      state.asked += 1
      response.writeHead(state.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ keys: state.signers.map(({ jwk }) => jwk) }))
    })
    return { state, trust: { jwksUrl: `${origin}/.well-known/agentic-jwks.json`, issuer: ISSUER } }
  }

  it('are fetched once, and again for an unknown key, with a pause between', async () => {
    const [one, two, three] = [newSigner('k-1'), newSigner('k-2'), newSigner('k-3')]
    const { state, trust } = await startKeys([one])
    const { url, send } = await startTrusting(trust)
    const clock = vi.spyOn(performance, 'now')
    const start = performance.now()
    const answers = await Promise.all([1, 2, 3].map(async () => send(await sign(one, url))))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(state.asked).toBe(1)
    state.signers = [two]
    expectRefused(await send(await sign(two, url)), 'IDENTITY_INVALID')
    expectRefused(await send(await sign(three, url)), 'IDENTITY_INVALID')
    expect(state.asked).toBe(1)
    clock.mockReturnValue(start + 60_000)
    expectAnswer(await send(await sign(two, url)), 200, alice)
    expectRefused(await send(await sign(one, url, { claims: { sub: 'bob' } })), 'IDENTITY_INVALID')
    expect(state.asked).toBe(2)
  })

  it('stay in use while the gateway does not answer, and are fetched again by age', async () => {
    const one = newSigner()
    const { state, trust } = await startKeys([one])
    const { url, send, log } = await startTrusting(trust)
    const clock = vi.spyOn(performance, 'now')
    const start = performance.now()
    expectAnswer(await send(await sign(one, url)), 200, alice)
    state.status = 500
    clock.mockReturnValue(start + 11 * 60_000)
    expectAnswer(await send(await sign(one, url, { claims: { iat: 1 } })), 200, alice)
    await expect
      .poll(() => log.map(({ message }) => message))
      .toContain('the keys of the gateway cannot be fetched')
    expect(state.asked).toBe(2)
    clock.mockReturnValue(start + 25 * 60 * 60_000)
    const answer = await send(await sign(one, url, { claims: { iat: 2 } }))
    expectAnswer(answer, 424, {
      type: 'failed_dependency',
      code: 'IDENTITY_KEYS_UNAVAILABLE',
      message: 'The keys to check the identity of the request cannot be had at the moment.',
    })
  })

  it('may come later than the service: it works a second after they can be had', async () => {
    const one = newSigner()
    const { state, trust } = await startKeys([one])
    state.status = 503
    const { url, send } = await startTrusting(trust)
    const clock = vi.spyOn(performance, 'now')
    const start = performance.now()
    const token = await sign(one, url)
    expect(JSON.parse((await send(token)).text)).toMatchObject({ code: 'IDENTITY_KEYS_UNAVAILABLE' })
    state.status = 200
    clock.mockReturnValue(start + 60_000)
    expectAnswer(await send(token), 200, alice)
  })

  it.each([
    ['no gateway', 'http://127.0.0.1:9/jwks', undefined],
    ['no keys', undefined, { keys: [] }],
    [
      'keys of another kind',
      undefined,
      { keys: [{ kty: 'oct', k: 'AAAA' }, { kty: 'OKP', crv: 'Ed25519' }, 7] },
    ],
  ])('that cannot be had (%s) are a failed dependency', async (_title, address, set) => {
    const { url: origin } = await startServer((_request, response) => void response.end(JSON.stringify(set)))
    const { url, send } = await startTrusting({ jwksUrl: address ?? origin, issuer: ISSUER })
    expect(JSON.parse((await send(await sign(newSigner(), url))).text)).toMatchObject({
      code: 'IDENTITY_KEYS_UNAVAILABLE',
    })
  })
})

it.each<[string, unknown, string]>([
  ['no keys', { issuer: ISSUER }, 'trust needs either jwksUrl or jwks, and not both'],
  ['no URL', { issuer: ISSUER, jwksUrl: '/jwks' }, 'trust.jwksUrl has to be an absolute http or https URL'],
  ['no issuer', { issuer: '', jwksUrl: 'http://a' }, 'trust.issuer must not be empty'],
  ['no audience', { issuer: ISSUER, jwksUrl: 'http://a', audience: '' }, 'trust.audience must not be empty'],
  [
    'no usable key',
    { issuer: ISSUER, jwks: { keys: [{ kty: 'RSA' }] } },
    'trust.jwks has no Ed25519 or P-256 key for signatures',
  ],
])('options with %s are refused at the start', (_title, trust, message) => {
  expect(() => createService({ operations: [read], trust: trust as TrustOptions })).toThrow(message)
})
