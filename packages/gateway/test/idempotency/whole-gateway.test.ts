import { eventually } from '@agentic-rest/testing/eventually'
import { headerValues, sendRequest } from '@agentic-rest/testing/send-request'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { applied, startReloadable } from '../reload/start-reloadable.ts'
import { startSupervisor } from '../workers/start-supervisor.ts'
import { codeOf, startKeyed } from './keyed.ts'

/** A service that counts its effects. */
const startCounting = () => {
  let count = 0
  return startUpstream((_request, response) => {
    count += 1
    answerJson(response, { status: 201, body: { count } })
  })
}

const secret = 'a shared secret of the tests, long enough'
const issuer = (name: string) => ({
  issuer: name,
  audience: ['agentic'],
  algorithms: ['HS256'],
  hs256_secret: secret,
})

const tokenOf = (sub: string, iss: string) =>
  new SignJWT({ tenant_id: 'acme' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(iss)
    .setAudience('agentic')
    .setSubject(sub)
    .setExpirationTime('5m')
    .sign(Buffer.from(secret))

test('a key belongs to its caller, and a subject of another issuer is another caller', async () => {
  const service = await startCounting()
  const [one, two] = ['https://one.example.test', 'https://two.example.test']
  const plugins = { 'token-validator': { issuers: [issuer(one), issuer(two)] } }
  const gateway = await startKeyed({ target: service.url, plugins })
  const book = async (sub: string, iss: string) =>
    gateway.book('k', { headers: { authorization: `Bearer ${await tokenOf(sub, iss)}` } })
  expect((await book('alice', one)).status).toBe(201)
  expect(codeOf(await book('bob', one))).toEqual([422, 'VALIDATION_FAILED'])
  expect(codeOf(await book('alice', two))).toEqual([422, 'VALIDATION_FAILED'])
  const replay = await book('alice', one)
  expect([replay.status, headerValues(replay, 'idempotency-replayed')]).toEqual([201, ['true']])
  expect(codeOf(await gateway.book('k'))).toEqual([401, 'MISSING_TOKEN'])
  expect(service.requests).toHaveLength(1)
})

test('the fingerprint is of the redacted body', async () => {
  const service = await startCounting()
  const rules = [{ name: 'mail', builtin: 'email' }]
  const gateway = await startKeyed({ target: service.url, plugins: { 'prompt-sanitize': { rules } } })
  await gateway.book('k', { body: '{"to":"alice@example.test"}' })
  const retry = await gateway.book('k', { body: '{"to":"bob@example.test"}' })
  expect([retry.status, String(service.requests[0]?.body)]).toEqual([201, '{"to":"[REDACTED:mail]"}'])
  expect(service.requests).toHaveLength(1)
})

test('a replay counts against the limits of its tenant', async () => {
  const service = await startCounting()
  const rate_limits = [{ name: 'few', requests: 2, per_seconds: 3600, burst: 2 }]
  const gateway = await startKeyed({ target: service.url, gateway: { rate_limits } })
  const answers = [await gateway.book('k'), await gateway.book('k'), await gateway.book('k')]
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 429])
  expect(headerValues(answers[1] ?? { rawHeaders: [] }, 'ratelimit')).toHaveLength(1)
})

test('a reload keeps all keys', async () => {
  const service = await startCounting()
  const config = (ttlSeconds: number) => ({
    routes: [
      {
        id: 'book',
        method: 'POST',
        path: '/b',
        target: service.url,
        idempotency: { mode: 'required', ttlSeconds },
      },
    ],
  })
  const gateway = await startReloadable(config(100))
  const book = () =>
    sendRequest(`${gateway.url}/b`, { method: 'POST', headers: { 'idempotency-key': 'k' }, body: 'x' })
  await book()
  expect(await gateway.reloadTo(config(200))).toMatchObject(applied)
  const replay = await book()
  expect([replay.status, headerValues(replay, 'idempotency-replayed')]).toEqual([201, ['true']])
  expect(
    await gateway.reloadTo({ ...config(200), gateway: { idempotency: { store: 'shared' } } }),
  ).toMatchObject({
    result: 'refused',
  })
  expect(service.requests).toHaveLength(1)
})

test('a call of an MCP client has one effect for each of its keys', async () => {
  const service = await startCounting()
  const { url, audit } = await startGateway({
    mcp: {},
    routes: [
      {
        id: 'take-room',
        method: 'POST',
        path: '/rooms/{room}/stays',
        target: service.url,
        idempotency: { mode: 'required' },
        mcp: { input: 'none', description: 'Takes a room.' },
      },
    ],
  })
  const call = async (key: string) => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'tester', version: '1' },
      'org.agentic-rest/idempotencyKey': key,
    }
    const params = { _meta: meta, name: 'take-room', arguments: { room: '12' } }
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'tools/call',
        'Mcp-Name': 'take-room',
        'X-Tenant-ID': 'acme',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    return JSON.parse(await answer.text()).result.structuredContent
  }
  expect([await call('k1'), await call('k1'), await call('k2')]).toMatchObject([
    { count: 1 },
    { count: 1 },
    { count: 2 },
  ])
  const replays = audit.map(({ attributes }) => (attributes as Record<string, string>)['replayed'])
  expect(replays).toEqual([undefined, 'true', undefined])
})

test('the supervisor keeps the keys of all workers', async () => {
  const release = Promise.withResolvers<void>()
  const service = await startUpstream(async (_request, response) => {
    await release.promise
    answerJson(response, { status: 201, body: { done: true } })
  })
  const { url, log } = await startSupervisor({
    gateway: { workers: 2 },
    routes: [
      { id: 'book', method: 'POST', path: '/b', target: service.url, idempotency: { mode: 'required' } },
    ],
  })
  const book = () =>
    sendRequest(`${url}/b`, { method: 'POST', headers: { 'idempotency-key': 'k' }, body: 'ä' })
  // Every request has its own connection, and connections go to the workers in turn.
  const first = book()
  await eventually(
    () => service.requests.length,
    (count) => count === 1,
  )
  const running = [await book(), await book(), await book()]
  expect(running.map(codeOf)).toEqual(running.map(() => [409, 'IDEMPOTENCY_IN_PROGRESS']))
  release.resolve()
  expect((await first).status).toBe(201)
  const replays = [await book(), await book()]
  expect(replays.map(({ body }) => body.toString())).toEqual(['{"done":true}', '{"done":true}'])
  expect(service.requests).toHaveLength(1)
  expect(log.filter(({ warning }) => warning === 'keys-in-memory')).toHaveLength(1)
})
