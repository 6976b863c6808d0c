import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { eventually } from '@agentic-rest/testing/eventually'
import { answerJson, startUpstream } from '@agentic-rest/testing/start-upstream'
import { SignJWT } from 'jose'
import Stripe from 'stripe'
import { expect, onTestFinished, test } from 'vitest'
import { startKeyed } from './keyed.ts'

/** A service that knows nothing of keys: every request that it takes is another charge. */
async function startCharges() {
  const effects: string[] = []
  const slow = Promise.withResolvers<void>()
  let failures = 0
  const service = await startUpstream(async (_request, response) => {
    const form = new URLSearchParams(service.requests.at(-1)?.body.toString())
    const what = form.get('description') ?? ''
    if (what === 'failing' && failures === 0) {
      failures += 1
      return answerJson(response, { status: 503, body: { busy: true } })
    }
    effects.push(what)
    if (what === 'lost') return response.destroy()
    if (what === 'slow') await slow.promise
    answerJson(response, { body: { id: `ch_${effects.length}`, object: 'charge', description: what } })
  })
  return { url: service.url, effects, endSlowCharge: slow.resolve }
}

/** A network that loses the first answer: the connection is reset when it comes. */
async function startLossyNetwork(to: number): Promise<number> {
  let lost = 0
  const server = createServer((client) => {
    const gateway = connect(to, '127.0.0.1')
    client.pipe(gateway)
    for (const socket of [client, gateway]) socket.on('error', () => undefined)
    client.on('close', () => gateway.destroy())
    gateway.on('data', (bytes) => {
      lost += 1
      if (lost === 1) client.resetAndDestroy()
      else client.write(bytes)
    })
  })
  server.listen({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

const secret = 'a shared secret of the tests, long enough'
const issuer = 'https://id.example.test'

/** The API key of the client is its token. */
const token = () =>
  new SignJWT({ tenant_id: 'acme' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer(issuer)
    .setAudience('agentic')
    .setSubject('shop')
    .setExpirationTime('5m')
    .sign(Buffer.from(secret))

test('retries of the stripe package have one effect at a service without keys', async () => {
  const service = await startCharges()
  const issuers = [{ issuer, audience: ['agentic'], algorithms: ['HS256'], hs256_secret: secret }]
  const gateway = await startKeyed({
    target: service.url,
    route: { path: '/v1/charges' },
    plugins: { 'token-validator': { issuers } },
  })
  const apiKey = await token()
  const clientOf = (port: number) =>
    new Stripe(apiKey, {
      host: '127.0.0.1',
      port,
      protocol: 'http',
      maxNetworkRetries: 5,
      timeout: 60_000,
      telemetry: false,
    })
  const [lossy, direct] = [clientOf(await startLossyNetwork(gateway.port)), clientOf(gateway.port)]
  const charge = (stripe: Stripe, description: string, options: Stripe.RequestOptions = {}) =>
    stripe.charges.create({ amount: 100, currency: 'eur', description }, options)
  const charging = Promise.all([
    charge(lossy, 'reset'),
    charge(direct, 'slow', { timeout: 500 }),
    charge(direct, 'failing'),
  ])
  // The client has left its slow charge and asked again.
  await eventually(
    () => gateway.counted('in_progress'),
    (count) => count > 0,
  )
  service.endSlowCharge()
  expect(await charging).toMatchObject(
    ['reset', 'slow', 'failing'].map((description) => ({ object: 'charge', description })),
  )
  expect(await gateway.counted('replayed')).toBeGreaterThanOrEqual(2)
  // Nobody knows whether this one had an effect, and the retries of the package do not make two of it.
  const known = { idempotencyKey: 'mine', maxNetworkRetries: 1 }
  const [first, second] = [await charge(direct, 'lost', known), await charge(direct, 'lost', known)]
  expect(first).toMatchObject({ type: 'failed_dependency', code: 'UPSTREAM_UNAVAILABLE' })
  expect(second).toMatchObject({ type: 'conflict', code: 'IDEMPOTENCY_OUTCOME_UNKNOWN' })
  expect(service.effects.toSorted()).toEqual(['failing', 'lost', 'reset', 'slow'])
})
