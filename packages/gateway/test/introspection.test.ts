import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { writeFiles } from '@agentic-rest/testing/make-certificate'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { startServer } from '@agentic-rest/testing/start-server'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { makeValidator, registered } from './plugins/token-validator/make-validator.ts'

type Answer = (token: string, response: ServerResponse) => void

const seconds = () => Math.floor(Date.now() / 1000)

/** The answer about an active token of alice. */
const active = (more: Record<string, unknown> = {}) => ({
  active: true,
  sub: 'alice',
  aud: 'agentic',
  tenant_id: 'acme',
  exp: seconds() + 300,
  ...more,
})

const json =
  (value: unknown): Answer =>
  (_token, response) =>
    void response.end(JSON.stringify(value))

interface Asked {
  readonly token: string
  readonly body: string
  readonly headers: IncomingMessage['headers']
}

async function startIntrospection(answer: Answer) {
  const asked: Asked[] = []
  const state = { answer }
  const { url, close } = await startServer(async (request, response) => {
    const body = await text(request)
    const token = new URLSearchParams(body).get('token') ?? ''
    asked.push({ token, body, headers: request.headers })
    state.answer(token, response)
  })
  return { asked, state, close, url: `${url}/introspect` }
}

function introspected(url: string, more: Record<string, unknown> = {}) {
  const { secret } = writeFiles({ secret: 's3cret: +ü&\n' })
  return {
    issuer: 'https://id.example.test',
    audience: ['agentic'],
    introspection: { url, client_id: 'gateway one', client_secret_file: secret },
    ...more,
  }
}

async function startWith(issuers: readonly object[], more: Record<string, unknown> = {}) {
  const upstream = await startUpstream((_request, response) => answerJson(response, { body: {} }))
  const { url, log } = await startGateway({
    plugins: { 'token-validator': { issuers, ...more } },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const ask = async (token: string) =>
    readFetched(await fetch(`${url}/r`, { headers: { authorization: `Bearer ${token}` } }))
  return { ask, upstream, log, url }
}

describe('an opaque token', () => {
  test('is accepted when its issuer calls it active; the answer is kept', async () => {
    const server = await startIntrospection(json(active({ roles: ['reader'] })))
    const { ask, upstream } = await startWith([introspected(server.url)])
    expect((await ask('opaque-1')).status).toBe(200)
    expect((await ask('opaque-1')).status).toBe(200)
    expect(upstream.requests[0]?.headers).toMatchObject({
      'x-actor-subject': 'alice',
      'x-actor-issuer': 'https://id.example.test',
      'x-tenant-id': 'acme',
    })
    expect(server.asked).toHaveLength(1)
    const [{ body, headers } = { body: '', headers: {} }] = server.asked
    expect(body).toBe('token=opaque-1&token_type_hint=access_token')
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    // RFC 6749, section 2.3.1: both parts are form-encoded.
    const credentials = Buffer.from('gateway+one:s3cret%3A+%2B%C3%BC%26').toString('base64')
    expect(headers.authorization).toBe(`Basic ${credentials}`)
  })

  test('has one identity while its answer is kept, so that it is signed once', async () => {
    const server = await startIntrospection(json(active()))
    const issuers = [introspected(server.url)]
    const { send, close } = makeValidator({ issuers, end_streams_at_expiry: true })
    onTestFinished(close)
    const [first, second] = [await send('opaque-1'), await send('opaque-1')]
    expect(first.exchange.identity).toMatchObject({ subject: 'alice', streamsEndAt: expect.any(Number) })
    expect(second.exchange.identity).toBe(first.exchange.identity)
  })

  test('is asked about once, however many requests carry it', async () => {
    const held = Promise.withResolvers<void>()
    const server = await startIntrospection((token, response) => {
      void held.promise.then(() => json(active())(token, response))
    })
    const { ask } = await startWith([introspected(server.url)])
    const asking = Array.from({ length: 20 }, () => ask('opaque-1'))
    await expect.poll(() => server.asked.length).toBe(1)
    held.resolve()
    expect(new Set((await Promise.all(asking)).map(({ status }) => status))).toEqual(new Set([200]))
    expect(server.asked).toHaveLength(1)
  })

  test('is refused when it is not active, which is kept too', async () => {
    const server = await startIntrospection(json({ active: false }))
    const { ask } = await startWith([introspected(server.url)])
    expectRefusal(await ask('opaque-1'), 401, 'INVALID_TOKEN')
    expectRefusal(await ask('opaque-1'), 401, 'INVALID_TOKEN')
    expect(server.asked).toHaveLength(1)
  })

  test('is never kept beyond its expiry', async () => {
    const server = await startIntrospection(json(active({ exp: seconds() - 5 })))
    const { ask } = await startWith([introspected(server.url)], { clock_skew_seconds: 30 })
    expect((await ask('opaque-1')).status).toBe(200)
    expect((await ask('opaque-1')).status).toBe(200)
    expect(server.asked).toHaveLength(2)
  })

  test.each([
    ['iss', { iss: 'https://other.example.test' }, 'UNKNOWN_ISSUER'],
    ['aud', { aud: 'other' }, 'AUDIENCE_MISMATCH'],
    ['exp', { exp: seconds() - 300 }, 'TOKEN_EXPIRED'],
    ['no exp', { exp: undefined }, 'REQUIRED_CLAIM_MISSING'],
    ['nbf', { nbf: seconds() + 300 }, 'TOKEN_NOT_YET_VALID'],
    ['cnf', { cnf: { 'x5t#S256': 'digest' } }, 'INVALID_TOKEN'],
    ['sub', { sub: undefined }, 'REQUIRED_CLAIM_MISSING'],
  ] as const)('is refused for its %s like a JWT', async (_claim, claims, code) => {
    const server = await startIntrospection(json(active(claims)))
    const { ask } = await startWith([introspected(server.url)])
    expectRefusal(await ask('opaque-1'), 401, code)
  })

  test.each([
    ['token_type', 'refresh_token'],
    ['token_use', 'refresh_token'],
    ['typ', 'Refresh'],
    ['typ', 'Offline'],
    ['typ', 'ID'],
  ])('is refused when its issuer calls it no access token: %s %s', async (member, kind) => {
    const server = await startIntrospection(json(active({ [member]: kind })))
    const { ask } = await startWith([introspected(server.url)])
    expectRefusal(await ask('opaque-1'), 401, 'INVALID_TOKEN')
  })

  test.each([
    ['token_type', 'Bearer'],
    ['token_use', 'access_token'],
    ['typ', 'Bearer'],
  ])('is accepted when its issuer calls it an access token: %s %s', async (member, kind) => {
    const server = await startIntrospection(json(active({ [member]: kind })))
    const { ask } = await startWith([introspected(server.url)])
    expect((await ask('opaque-1')).status).toBe(200)
  })

  test('is not sent anywhere when no issuer could have made it', async () => {
    const server = await startIntrospection(json(active()))
    const { ask } = await startWith([introspected(server.url)])
    expectRefusal(await ask('two words'), 401, 'INVALID_TOKEN')
    expect(server.asked).toEqual([])
  })
})

describe('a server that gives no usable answer', () => {
  test.each<readonly [string, Answer]>([
    ['garbage', (_token, response) => void response.end('<html>')],
    ['no verdict', json({ sub: 'alice' })],
    ['a verdict of another type', json({ ...active(), active: 'true' })],
    ['a list', json([active()])],
    ['a repeated name', (_token, response) => void response.end('{"active":false,"active":true}')],
    ['a refusal of the gateway', (_token, response) => void response.writeHead(401).end('{"active":true}')],
    ['a redirect', (_token, response) => void response.writeHead(302, { location: '/x' }).end()],
    ['too much', (_token, response) => void response.end(JSON.stringify(active({ x: 'x'.repeat(70_000) })))],
    ['a closed connection', (_token, response) => void response.destroy()],
    ['nothing', () => undefined],
  ])('is 424: %s', async (_title, answer) => {
    const server = await startIntrospection(answer)
    const { ask, url, log } = await startWith([introspected(server.url)])
    expectRefusal(await ask('opaque-secret-token'), 424, 'INTROSPECTION_UNAVAILABLE')
    const ready = await (await fetch(`${url}/readyz`)).json()
    expect(JSON.stringify(ready)).toMatch(/the introspection of issuers\[0\] gives no usable answer/)
    expect(JSON.stringify(log)).not.toMatch(/opaque-secret-token|s3cret/)
    server.state.answer = json(active())
    expect((await ask('opaque-secret-token')).status).toBe(200)
  })

  test('holds at most 64 tokens: more are 424 at once', async () => {
    const held = Promise.withResolvers<void>()
    const server = await startIntrospection((token, response) => {
      void held.promise.then(() => json(active())(token, response))
    })
    const { ask } = await startWith([introspected(server.url)])
    const answers: number[] = []
    const asking = Array.from({ length: 70 }, async (_, index) => {
      answers.push((await ask(`opaque-${index}`)).status)
    })
    await expect.poll(() => answers).toEqual(Array(6).fill(424))
    held.resolve()
    await Promise.all(asking)
    expect(answers.slice(6)).toEqual(Array(64).fill(200))
  })
})

describe('several issuers', () => {
  test('are asked in their order until one knows the token, whether others answer or not', async () => {
    const first = await startIntrospection(json({ active: false }))
    const second = await startIntrospection((token, response) =>
      json(token === 'b' ? active() : { active: false })(token, response),
    )
    const { ask, upstream } = await startWith([
      introspected(first.url),
      introspected(second.url, { issuer: 'second' }),
    ])
    expect((await ask('b')).status).toBe(200)
    expect(upstream.requests[0]?.headers['x-actor-issuer']).toBe('second')
    expectRefusal(await ask('c'), 401, 'INVALID_TOKEN')
    first.close()
    expect((await ask('b')).status).toBe(200)
    expectRefusal(await ask('d'), 424, 'INTROSPECTION_UNAVAILABLE')
  })

  test('may share a server: the issuer that the answer names is the one', async () => {
    const shared = await startIntrospection(json(active({ iss: 'second' })))
    const { ask, upstream } = await startWith([
      introspected(shared.url),
      introspected(shared.url, { issuer: 'second' }),
    ])
    expect((await ask('b')).status).toBe(200)
    expect(upstream.requests[0]?.headers['x-actor-issuer']).toBe('second')
    shared.state.answer = json(active({ iss: 'third' }))
    expectRefusal(await ask('c'), 401, 'UNKNOWN_ISSUER')
  })

  test('that are away may know a token that another one calls foreign', async () => {
    const [away, other] = [
      await startIntrospection(json(active())),
      await startIntrospection(json(active({ iss: 'x' }))),
    ]
    away.close()
    const { ask } = await startWith([introspected(away.url), introspected(other.url, { issuer: 'second' })])
    expectRefusal(await ask('b'), 424, 'INTROSPECTION_UNAVAILABLE')
  })

  test('with keys check their JWTs without a question', async () => {
    const issuer = await startIssuer()
    onTestFinished(() => issuer.close())
    const server = await startIntrospection(json(active()))
    const { introspection } = introspected(server.url)
    const { ask } = await startWith([registered(issuer, { introspection })])
    const jwt = await issuer.token({ claims: { tenant_id: 'acme' } })
    expect((await ask(jwt)).status).toBe(200)
    const forged = `${jwt.slice(0, jwt.lastIndexOf('.'))}.${'A'.repeat(86)}`
    expectRefusal(await ask(forged), 401, 'INVALID_TOKEN')
    expect(server.asked).toEqual([])
    expect((await ask('opaque')).status).toBe(200)
    expect(server.asked).toHaveLength(1)
  })

  test('without keys are asked about their own JWTs alone', async () => {
    const issuer = await startIssuer()
    onTestFinished(() => issuer.close())
    const other = await startIntrospection(json(active()))
    const server = await startIntrospection(json(active({ iss: issuer.url })))
    const { ask } = await startWith([
      introspected(other.url),
      introspected(server.url, { issuer: issuer.url }),
    ])
    const jwt = await issuer.token({ claims: { tenant_id: 'acme' } })
    expect((await ask(jwt)).status).toBe(200)
    expect(server.asked.map(({ token }) => token)).toEqual([jwt])
    expect(other.asked).toEqual([])
    expect(issuer.requests).toEqual([])
  })

  test('without keys are not asked about their ID tokens', async () => {
    const issuer = await startIssuer()
    onTestFinished(() => issuer.close())
    const server = await startIntrospection(json(active({ iss: issuer.url })))
    const { ask } = await startWith([introspected(server.url, { issuer: issuer.url })])
    const idToken = await issuer.token({
      header: { typ: undefined },
      claims: { tenant_id: 'acme', nonce: 'n' },
    })
    expectRefusal(await ask(idToken), 401, 'INVALID_TOKEN')
    expect(server.asked).toEqual([])
  })
})

test('a secret that cannot be read ends the start and names its key', async () => {
  const introspection = { url: 'http://127.0.0.1:9/', client_id: 'a', client_secret_file: '/nowhere' }
  const issuer = { issuer: 'a', audience: ['agentic'], introspection }
  await expect(startWith([issuer])).rejects.toThrow(
    'plugins.token-validator.issuers[0].introspection.client_secret_file: cannot read the file (ENOENT)',
  )
})
