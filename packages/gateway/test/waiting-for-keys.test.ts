import { metricValue } from '@agentic-rest/testing/metric-value'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { startUpstream } from '@agentic-rest/testing/start-upstream'
import { expect, onTestFinished, test } from 'vitest'
import { registered } from './plugins/token-validator/make-validator.ts'

async function start(gateway: Record<string, unknown> = {}, answer?: IssuerServer['answer']) {
  const issuer = await startIssuer()
  issuer.answer = answer
  const other = await startIssuer()
  onTestFinished(() => issuer.close())
  onTestFinished(() => other.close())
  const upstream = await startUpstream((_request, response) => response.end('{}'))
  const { url, metrics } = await startGateway({
    gateway,
    plugins: {
      'token-validator': { issuers: [registered(issuer), registered(other)] },
      'tenant-injector': { allowed: ['acme'] },
    },
    routes: [{ id: 'r', method: 'GET', path: '/r', target: upstream.url }],
  })
  const ask = async (of: IssuerServer, kid?: string) => {
    const header = kid === undefined ? {} : { kid }
    return askWith(await of.token({ header, claims: { tenant_id: 'acme' } }))
  }
  const askWith = async (token: string) => {
    const response = await fetch(`${url}/r`, { headers: { authorization: `Bearer ${token}` } })
    const body = (await response.json()) as { code?: string }
    return body.code === undefined ? `${response.status}` : `${response.status} ${body.code}`
  }
  return { issuer, other, ask, askWith, metrics }
}

test('32 requests wait for the keys of an issuer; more are 424 at once, and nobody else waits', async () => {
  const { issuer, other, ask } = await start()
  expect(await ask(issuer)).toBe('200')
  const held = Promise.withResolvers<void>()
  issuer.answer = (_request, response) =>
    void held.promise.then(() => response.end(JSON.stringify({ keys: issuer.published })))
  const answers: string[] = []
  const unavailable = Promise.withResolvers<void>()
  const asking = Array.from({ length: 40 }, async (_, index) => {
    answers.push(await ask(issuer, `unknown-${index}`))
    if (answers.length === 8) unavailable.resolve()
  })
  await unavailable.promise
  expect(new Set(answers)).toEqual(new Set(['424 JWKS_UNAVAILABLE']))
  expect(await ask(issuer)).toBe('200')
  expect(await ask(other)).toBe('200')
  expect(await ask(other, 'unknown')).toBe('401 INVALID_TOKEN')
  expect(answers).toHaveLength(8)
  held.resolve()
  await Promise.all(asking)
  expect(answers.slice(8)).toEqual(Array(32).fill('401 INVALID_TOKEN'))
})

test('requests that wait for a key leave max_in_flight to others', async () => {
  const { issuer, other, ask, metrics } = await start({
    limits: { max_in_flight: 4, max_in_flight_per_tenant: 4 },
  })
  expect(await ask(issuer)).toBe('200')
  expect(await ask(other)).toBe('200')
  const held = Promise.withResolvers<void>()
  const asked = issuer.requests.length
  issuer.answer = (_request, response) =>
    void held.promise.then(() => response.end(JSON.stringify({ keys: issuer.published })))
  const waiting = Promise.all(Array.from({ length: 20 }, (_, index) => ask(issuer, `unknown-${index}`)))
  await expect.poll(() => issuer.requests.length).toBe(asked + 1)
  expect(await Promise.all(Array.from({ length: 3 }, () => ask(other)))).toEqual(Array(3).fill('200'))
  expect(metricValue(await metrics(), 'agentic_gateway_requests_in_flight')).toBe(0)
  held.resolve()
  expect(await waiting).toEqual(Array(20).fill('401 INVALID_TOKEN'))
})

test('unsigned tokens that wait for the first keys of an issuer leave max_in_flight to others', async () => {
  const held = Promise.withResolvers<void>()
  const { issuer, other, ask, askWith } = await start(
    { limits: { max_in_flight: 4, max_in_flight_per_tenant: 4 } },
    (_request, response) =>
      void held.promise.then(() => response.end(JSON.stringify({ keys: issuer.published }))),
  )
  const signed = await issuer.token({ claims: { tenant_id: 'acme' } })
  const unsigned = `${signed.slice(0, signed.lastIndexOf('.') + 1)}${Buffer.alloc(64).toString('base64url')}`
  const forged = Promise.all(Array.from({ length: 20 }, () => askWith(unsigned)))
  const valid = askWith(signed)
  for (let round = 0; round < 5; round += 1) expect(await ask(other)).toBe('200')
  held.resolve()
  expect(await forged).toEqual(Array(20).fill('401 INVALID_TOKEN'))
  expect(await valid).toBe('200')
})
