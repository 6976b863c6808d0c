import { ordinaryClaims } from '@agentic-rest/testing/sign-token'
import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeTime } from './fake-time.ts'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let validator: TestValidator
beforeEach(async () => {
  fakeTime()
  issuer = await startIssuer()
  validator = makeValidator({ issuers: [registered(issuer)] })
  await validator.send(await issuer.token())
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([issuer.close(), validator.close()])
})

function makeForgery(): (kid: string) => string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const payload = encode(ordinaryClaims(issuer.url))
  const signature = Buffer.alloc(64).toString('base64url')
  return (kid) => `${encode({ alg: 'EdDSA', kid })}.${payload}.${signature}`
}

/** Sends tokens with distinct kids, a thousand at a time, and counts the answers by code. */
async function flood(count: number, prefix: string): Promise<Map<unknown, number>> {
  const forge = makeForgery()
  const codes = new Map<unknown, number>()
  for (let sent = 0; sent < count; sent += 1000) {
    const batch = Array.from({ length: 1000 }, (_, i) => validator.request(forge(`${prefix}-${sent + i}`)))
    for (const outcome of await Promise.all(batch)) {
      const code = outcome !== undefined && 'code' in outcome ? outcome.code : outcome
      codes.set(code, (codes.get(code) ?? 0) + 1)
    }
  }
  return codes
}

/** Of the thousand that come during the fetch 32 wait for it; all that come after it are refused. */
const afterOneFetch = (count: number) =>
  new Map([
    ['INVALID_TOKEN', count - 968],
    ['JWKS_UNAVAILABLE', 968],
  ])

test('a hundred thousand unknown kids cost one fetch per cooldown and are all refused', async () => {
  expect(issuer.requests.length).toBe(1)
  expect(await flood(100_000, 'a')).toEqual(afterOneFetch(100_000))
  expect(issuer.requests.length).toBe(2)
  await vi.advanceTimersByTimeAsync(29_999)
  expect(await flood(1_000, 'b')).toEqual(new Map([['INVALID_TOKEN', 1_000]]))
  expect(issuer.requests.length).toBe(2)
  await vi.advanceTimersByTimeAsync(1)
  expect(await flood(10_000, 'c')).toEqual(afterOneFetch(10_000))
  expect(issuer.requests.length).toBe(3)
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
})

test('a kid that was asked for in vain is asked for again only after a minute', async () => {
  const token = makeForgery()('gone')
  const fetchesAfter = async (milliseconds: number) => {
    await vi.advanceTimersByTimeAsync(milliseconds)
    expect((await validator.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN'))
    return issuer.requests.length
  }
  expect(await fetchesAfter(0)).toBe(2)
  expect(await fetchesAfter(30_000)).toBe(2)
  expect(await fetchesAfter(29_000)).toBe(2)
  expect(await fetchesAfter(1_000)).toBe(3)
})

test('a flood of unknown kids while the issuer is down costs nothing but the back-off', async () => {
  issuer.answer = (request) => request.socket.destroy()
  const forge = makeForgery()
  expect((await validator.send(forge('first'))).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect(await flood(10_000, 'd')).toEqual(new Map([['JWKS_UNAVAILABLE', 10_000]]))
  expect(issuer.requests.length).toBe(2)
})
