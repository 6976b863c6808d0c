import { PATIENCE_MS } from '@agentic-rest/testing/eventually'
import { makeKey } from '@agentic-rest/testing/sign-token'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { keySetPolicy } from '../../../src/plugins/token-validator/remote-key-set.ts'
import { fakeTime } from './fake-time.ts'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let validator: TestValidator
beforeEach(async () => {
  fakeTime()
  issuer = await startIssuer()
  validator = makeValidator({ issuers: [registered(issuer)] })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([issuer.close(), validator.close()])
})

/** Advances the clock until the keys are fetched again, and waits for that fetch. */
async function refreshByAge(): Promise<void> {
  const fetches = issuer.requests.length
  await vi.advanceTimersByTimeAsync(300_000)
  await vi.waitFor(() => expect(issuer.requests.length).toBeGreaterThan(fetches), PATIENCE_MS)
}

test('a token signed with a key made a moment ago is accepted at once', async () => {
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  await issuer.rotate()
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  expect(issuer.requests).toEqual(['/jwks', '/jwks'])
})

test('tokens of a new key at once cost one fetch and are accepted, as many as may wait', async () => {
  await validator.send(await issuer.token())
  await issuer.rotate()
  const tokens = await Promise.all(Array.from({ length: keySetPolicy.maxWaiting }, () => issuer.token()))
  const sent = await Promise.all(tokens.map((token) => validator.send(token)))
  expect(sent.filter(({ answer }) => answer !== undefined)).toEqual([])
  expect(issuer.requests.length).toBe(2)
})

test('a second rotation within the cooldown is seen when the cooldown has passed', async () => {
  await validator.send(await issuer.token())
  await issuer.rotate()
  await validator.send(await issuer.token())
  await issuer.rotate()
  const token = await issuer.token()
  expect((await validator.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  await vi.advanceTimersByTimeAsync(30_000)
  expect((await validator.send(token)).answer).toBeUndefined()
})

test('a removed key ends its tokens, the cached ones too, when the keys are fetched next', async () => {
  const token = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) + 3600 } })
  expect((await validator.send(token)).answer).toBeUndefined()
  await issuer.rotate()
  expect(validator.request(token)).toBeUndefined()
  await refreshByAge()
  await vi.waitFor(
    async () => expect((await validator.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN')),
    PATIENCE_MS,
  )
})

test('keys that did not change leave the cached tokens alone', async () => {
  const token = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) + 3600 } })
  await validator.send(token)
  await refreshByAge()
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  expect(validator.request(token)).toBeUndefined()
})

test('old and new key are both good while both are published', async () => {
  const old = await issuer.token()
  const [former] = issuer.published
  const key = await issuer.rotate()
  issuer.published = [key.jwk, ...(former === undefined ? [] : [former])]
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  expect((await validator.send(old)).answer).toBeUndefined()
})

test('where no key has a kid, a new key is found by its signature', async () => {
  const first = await makeKey('EdDSA', undefined)
  issuer.published = [first.jwk]
  const own = makeValidator({ issuers: [registered(issuer)] })
  expect((await own.send(await issuer.token({ key: first }))).answer).toBeUndefined()
  const second = await makeKey('EdDSA', undefined)
  issuer.published = [second.jwk]
  expect((await own.send(await issuer.token({ key: second }))).answer).toBeUndefined()
  expect((await own.send(await issuer.token({ key: first }))).answer).toEqual(refusedWith('INVALID_TOKEN'))
  await own.close()
})

test('of two keys with one kid each verifies its tokens', async () => {
  const twin = await makeKey('EdDSA', issuer.key.kid)
  issuer.published = [issuer.key.jwk, twin.jwk]
  const own = makeValidator({ issuers: [registered(issuer)] })
  expect((await own.send(await issuer.token())).answer).toBeUndefined()
  expect((await own.send(await issuer.token({ key: twin }))).answer).toBeUndefined()
  await own.close()
})
