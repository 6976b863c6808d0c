import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let validator: TestValidator
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  issuer = await startIssuer()
  validator = makeValidator({ issuers: [registered(issuer)] })
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([issuer.close(), validator.close()])
})

const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

test('a token is verified once, then answered without a promise', async () => {
  const token = await issuer.token()
  expect(validator.request(token)).toBeInstanceOf(Promise)
  expect((await validator.send(token)).answer).toBeUndefined()
  expect(validator.request(token)).toBeUndefined()
})

test('a cached token gives the same identity each time', async () => {
  const token = await issuer.token({ claims: { roles: ['a'], plan: 'gold' } })
  const first = (await validator.send(token)).exchange
  const second = (await validator.send(token)).exchange
  expect(second.identity).toEqual(first.identity)
  expect(second.identity?.claims['plan']).toBe('gold')
  expect(second.actor).toBe('alice')
})

test('a cached token ends when the skew after its exp has passed', async () => {
  const token = await issuer.token()
  await validator.send(token)
  later(329)
  expect(validator.request(token)).toBeUndefined()
  later(1)
  expect((await validator.send(token)).answer).toEqual(refusedWith('TOKEN_EXPIRED'))
})

test('a cached token is not yet valid again when the clock is set back before its nbf', async () => {
  const token = await issuer.token({ claims: { nbf: Math.floor(Date.now() / 1000) } })
  await validator.send(token)
  later(-31)
  expect((await validator.send(token)).answer).toEqual(refusedWith('TOKEN_NOT_YET_VALID'))
})

test('a token that was refused is not remembered', async () => {
  const token = await issuer.token({ claims: { nbf: Math.floor(Date.now() / 1000) + 40 } })
  expect((await validator.send(token)).answer).toEqual(refusedWith('TOKEN_NOT_YET_VALID'))
  later(20)
  expect((await validator.send(token)).answer).toBeUndefined()
})

test('the same header and payload with another signature is another token', async () => {
  const token = await issuer.token()
  await validator.send(token)
  const forged = `${token.slice(0, -4)}AAAA`
  expect((await validator.send(forged)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  expect((await validator.send(`${token}.`)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  expect((await validator.send(token)).answer).toBeUndefined()
})

test('cheap refusals cost no promise either', async () => {
  const [, payload, signature] = (await issuer.token()).split('.')
  const extended = Buffer.from('{"alg":"EdDSA","crit":["x"],"x":1}').toString('base64url')
  const unknown = await issuer.token({ claims: { iss: 'nobody' } })
  for (const token of ['x', 'a.b.c', unknown, `${extended}.${payload}.${signature}`])
    expect(validator.request(token)).not.toBeInstanceOf(Promise)
})
