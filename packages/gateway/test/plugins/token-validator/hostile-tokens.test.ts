import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { timesOfReference } from '@agentic-rest/testing/cpu-ratio'
import { type IssuerServer, startIssuer, startTrap } from '@agentic-rest/testing/start-issuer'
import type { JWK } from 'jose'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { fakeTime } from './fake-time.ts'
import {
  goodClaims,
  type HostileToken,
  type KeyPair,
  makeHostileTokens,
  makeKeyPair,
  signed,
  type Target,
} from './hostile-tokens.ts'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

const SECRET = 'a secret of at least thirty-two characters'
/** As a multiple of the time to read a MiB of text. Measured: up to 0.5 */
const MOST_COST = 2

let issuer: IssuerServer
let other: IssuerServer
let trap: Awaited<ReturnType<typeof startTrap>>
let validator: TestValidator
let target: Target
let corpus: HostileToken[]
const calledPorts = new Set<number | undefined>()
const onSocket = (message: unknown) => {
  const { socket } = message as { socket: Socket }
  socket.once('connect', () => calledPorts.add(socket.remotePort))
}

beforeAll(async () => {
  // The clock is stopped, so that no cooldown ends during a slow run.
  fakeTime()
  subscribe('net.client.socket', onSocket)
  ;[issuer, other, trap] = await Promise.all([startIssuer(), startIssuer(), startTrap()])
  target = makeTarget()
  publishKeys()
  validator = makeValidator({ issuers: [mixed(issuer), mixed(other), secretIssuer] })
  corpus = makeHostileTokens(target)
  await warmUp()
})
afterAll(async () => {
  vi.useRealTimers()
  unsubscribe('net.client.socket', onSocket)
  await Promise.all([issuer.close(), other.close(), trap.close(), validator.close()])
})

const secretIssuer = {
  issuer: 'secret-issuer',
  audience: ['agentic'],
  algorithms: ['HS256'],
  hs256_secret: SECRET,
}
const mixed = (server: IssuerServer) => registered(server, { algorithms: ['RS256', 'ES256', 'EdDSA'] })

function makeTarget(): Target {
  return {
    issuer: issuer.url,
    rsa: makeKeyPair('rsa', 'rsa-1'),
    ec: makeKeyPair('ec', 'ec-1'),
    ed: makeKeyPair('ed25519', 'ed-1'),
    otherIssuer: other.url,
    otherEc: makeKeyPair('ec', 'other-ec-1'),
    secretIssuer: secretIssuer.issuer,
    secret: SECRET,
    trap: trap.url,
  }
}

function publishKeys(): void {
  const publish = ({ publicKey, kid }: KeyPair) => ({ ...(publicKey.export({ format: 'jwk' }) as JWK), kid })
  issuer.published = [target.rsa, target.ec, target.ed].map(publish)
  other.published = [publish(target.otherEc)]
}

/** Fetches the keys, and uses up the one fetch for unknown keys of each cooldown. */
async function warmUp(): Promise<void> {
  expect((await validator.send(signed(target))).answer).toBeUndefined()
  for (const { url } of [issuer, other])
    expect((await validator.send(signed(target, { iss: url }, { kid: 'unknown' }))).answer).toEqual(
      refusedWith('INVALID_TOKEN'),
    )
}

test('the corpus has at least 120 different tokens with different names', () => {
  expect(corpus.length).toBeGreaterThanOrEqual(120)
  expect(new Set(corpus.map(({ name }) => name)).size).toBe(corpus.length)
})

test('the corpus is made of tokens that would be accepted without their fault', async () => {
  expect(goodClaims(target)['iss']).toBe(issuer.url)
  expect(
    (await validator.send(signed(target, { nested: [{ a: [{}] }] }, { typ: 'JWT' }))).answer,
  ).toBeUndefined()
})

test('no hostile token is accepted, and each gets its code', async () => {
  const answers = []
  for (const { name, token } of corpus) answers.push({ name, answer: (await validator.send(token)).answer })
  expect(answers).toEqual(corpus.map(({ name, code }) => ({ name, answer: refusedWith(code) })))
})

test('no hostile token costs more than to read two MiB of text', async () => {
  const costs = []
  for (const { name, token } of corpus) {
    const work = () => validator.request(token)
    costs.push({ name, cost: await timesOfReference({ work, below: MOST_COST }) })
  }
  expect(costs.filter(({ cost }) => !(cost < MOST_COST))).toEqual([])
})

test('no hostile token made the gateway call anything but the configured addresses', () => {
  expect(trap.requests).toEqual([])
  // One fetch at start and one of the warm-up: the corpus itself caused none.
  expect(issuer.requests).toEqual(['/jwks', '/jwks'])
  expect(other.requests).toEqual(['/jwks', '/jwks'])
  const configured = [issuer.url, other.url].map((url) => Number(new URL(url).port))
  expect([...calledPorts].toSorted()).toEqual(configured.toSorted())
})

test('after all of them a valid token is accepted and nothing of theirs is left behind', async () => {
  expect((await validator.send(signed(target, { jti: 'last' }))).answer).toBeUndefined()
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(({} as Record<string, unknown>)['sub']).toBeUndefined()
})
