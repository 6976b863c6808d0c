import { startEventUpstream } from '@agentic-rest/testing/event-upstream'
import { eventually } from '@agentic-rest/testing/eventually'
import { metricValue } from '@agentic-rest/testing/metric-value'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { openStream } from '@agentic-rest/testing/stream-client'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { expectRefusal, readFetched } from './harness/expect-outcome.ts'
import { applied, startReloadable } from './reload/start-reloadable.ts'

const secret = 'a shared secret of the tests, long enough'
const ours = 'https://id.example.test'
const removed = 'https://removed.example.test'
const issuer = (name: string) => ({
  issuer: name,
  audience: ['agentic'],
  algorithms: ['HS256'],
  hs256_secret: secret,
})

function tokenOf(by: string, seconds: number): Promise<string> {
  return new SignJWT({ tenant_id: 'acme' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(by)
    .setAudience('agentic')
    .setSubject('alice')
    .setExpirationTime(Math.floor(Date.now() / 1000) + seconds)
    .sign(Buffer.from(secret))
}

async function start(options: object = {}) {
  const upstream = await startEventUpstream()
  const configOf = (issuers: readonly string[]) => ({
    plugins: {
      'token-validator': { clock_skew_seconds: 0, issuers: issuers.map(issuer), ...options },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
  })
  const gateway = await startReloadable(configOf([ours, removed]))
  const open = async (by: string, seconds: number) => {
    const headers = {
      authorization: `Bearer ${await tokenOf(by, seconds)}`,
      'x-correlation-id': 'c',
      'x-request-id': 'r',
    }
    return await openStream({ url: `${gateway.url}/llm`, headers })
  }
  return { upstream, gateway, open, configOf }
}

const lastFrame = (code: string, message: string) =>
  `event: error\ndata: ${JSON.stringify({ type: 'error', code, message, trace: { correlationId: 'c', requestId: 'r' } })}\n\n`
const EXPIRED = lastFrame('TOKEN_EXPIRED', 'The bearer token has expired.')
const UNKNOWN = lastFrame('UNKNOWN_ISSUER', 'The issuer of the bearer token is not known.')

test('a stream ends at the expiry of its token, where that is wanted, and the upstream is aborted', async () => {
  const { upstream, gateway, open } = await start({ end_streams_at_expiry: true })
  const lasting = await open(ours, 3600)
  const client = await open(ours, 2)
  expect(client.response.statusCode).toBe(200)
  const { response, closed } = await upstream.opened(1)
  response.write('data: one\n\n')
  const { text, complete } = await client.ended
  expect({ text, complete }).toEqual({ text: `data: one\n\n${EXPIRED}`, complete: true })
  await closed
  const scrape = await eventually(gateway.metrics, (seen) => seen.includes('outcome="unauthenticated"'))
  expect(metricValue(scrape, 'agentic_gateway_sse_connections_active', { tenant_id: 'acme' })).toBe(1)
  expect(scrape).not.toContain('agentic_gateway_sse_errors_total{')
  expect(lasting.text()).toBe('')
})

test('a stream outlives its token by default', async () => {
  const { upstream, open } = await start()
  const client = await open(ours, 1)
  const { response } = await upstream.opened()
  // Wait: the time is the subject. Past the expiry it is certain that nothing ended the stream.
  await new Promise((resolve) => setTimeout(resolve, 1500))
  response.end('data: late\n\n')
  expect((await client.ended).text).toBe('data: late\n\n')
})

test('streams of an issuer that a reload removes end, and others go on', async () => {
  const { upstream, gateway, open, configOf } = await start()
  const kept = await open(ours, 3600)
  const ended = await open(removed, 3600)
  const { response } = await upstream.opened(1)
  response.write('data: one\n\n')
  await ended.until('one')
  expect(await gateway.reloadTo(configOf([ours]))).toMatchObject(applied)
  expect((await ended.ended).text).toBe(`data: one\n\n${UNKNOWN}`)
  const still = await upstream.opened(0)
  still.response.end('data: on\n\n')
  expect((await kept.ended).text).toBe('data: on\n\n')
})

test('a request that waits for its stream is refused when its issuer is removed', async () => {
  const upstream = await startUpstream(() => undefined)
  const configOf = (issuers: readonly string[]) => ({
    plugins: {
      'token-validator': { issuers: issuers.map(issuer) },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [{ id: 'llm', method: 'POST', path: '/llm', target: upstream.url, mode: 'sse' }],
  })
  const gateway = await startReloadable(configOf([ours, removed]))
  const authorization = `Bearer ${await tokenOf(removed, 3600)}`
  const waiting = fetch(`${gateway.url}/llm`, { method: 'POST', headers: { authorization } })
  await eventually(
    () => upstream.requests.length,
    (count) => count === 1,
  )
  expect(await gateway.reloadTo(configOf([ours]))).toMatchObject(applied)
  expectRefusal(await readFetched(await waiting), 401, 'UNKNOWN_ISSUER')
})
