import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fakeTime, letSocketsWork, passTimeUntil } from './fake-time.ts'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let validator: TestValidator | undefined
beforeEach(async () => {
  fakeTime()
  issuer = await startIssuer()
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all([issuer.close(), validator?.close()])
})

const goDown = () => {
  issuer.answer = (request) => request.socket.destroy()
}
const comeBack = () => {
  issuer.answer = undefined
}
const start = () => {
  validator = makeValidator({ issuers: [registered(issuer)] })
  return validator
}
const failures = ({ context }: TestValidator) =>
  context.lines.filter(({ message }) => message === 'the keys of an issuer cannot be fetched')

/** Advances the clock in steps, with a new token at each step. */
async function passTime(own: TestValidator, seconds: number, stepSeconds: number): Promise<unknown[]> {
  const answers = []
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    await vi.advanceTimersByTimeAsync(stepSeconds * 1000)
    let isAnswered = false
    const sent = own.send(await issuer.token()).finally(() => {
      isAnswered = true
    })
    // A fetch whose connection breaks unseen ends by its time limit, and that clock is the fake one.
    await letSocketsWork(() => isAnswered, 200_000)
    await passTimeUntil(() => isAnswered)
    answers.push((await sent).answer)
  }
  return answers
}

test('keys down for ten minutes after one success reject no valid token', async () => {
  const own = start()
  expect((await own.send(await issuer.token())).answer).toBeUndefined()
  goDown()
  const answers = await passTime(own, 600, 5)
  expect(answers.length).toBe(120)
  expect(answers.filter((answer) => answer !== undefined)).toEqual([])
  expect(own.plugin.degraded?.()).toBe('no fresh keys of issuers[0]')
  // One fetch at start, one by age, and in the five minutes after it only the retries of the back-off.
  expect(issuer.requests.length).toBeGreaterThan(2)
  expect(issuer.requests.length).toBeLessThanOrEqual(2 + 5 + 10)
})

test('the last keys serve for a day, then no longer, and again when the issuer is back', async () => {
  const own = start()
  const cached = await issuer.token({ claims: { exp: Math.floor(Date.now() / 1000) + 1e6 } })
  await own.send(cached)
  goDown()
  const day = 86_400
  expect((await passTime(own, day - 60, 600)).filter((answer) => answer !== undefined)).toEqual([])
  await vi.advanceTimersByTimeAsync(700_000)
  expect((await own.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect((await own.send(cached)).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  comeBack()
  await passTimeUntil(() => own.plugin.degraded?.() === undefined)
  expect((await own.send(await issuer.token())).answer).toBeUndefined()
  expect((await own.send(cached)).answer).toBeUndefined()
})

test('cold and down is a failed dependency, answered without a fetch of its own', async () => {
  goDown()
  const own = start()
  expect(own.plugin.degraded?.()).toBe('no fresh keys of issuers[0]')
  expect((await own.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  const fetches = issuer.requests.length
  for (let i = 0; i < 50; i++)
    expect((await own.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect(issuer.requests.length).toBe(fetches)
})

test('cold and down, what is wrong without a key is still said', async () => {
  goDown()
  const own = start()
  const expired = await issuer.token({ claims: { exp: 1 } })
  expect((await own.send(expired)).answer).toEqual(refusedWith('TOKEN_EXPIRED'))
  expect((await own.send(undefined)).answer).toEqual(refusedWith('MISSING_TOKEN'))
})

test('cold and down ends by itself when the issuer comes back', async () => {
  goDown()
  const own = start()
  await passTimeUntil(() => failures(own).length > 2)
  comeBack()
  await passTimeUntil(() => own.plugin.degraded?.() === undefined)
  expect((await own.send(await issuer.token())).answer).toBeUndefined()
  expect(own.context.lines.at(-1)).toEqual({
    level: 'info',
    message: 'the keys of an issuer can be fetched again',
    fields: { issuer: issuer.url },
  })
})

test('during an outage a token of a key that nobody knows is not called invalid', async () => {
  const own = start()
  await own.send(await issuer.token())
  goDown()
  await issuer.rotate()
  const token = await issuer.token()
  expect((await own.send(token)).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  comeBack()
  await passTimeUntil(() => own.plugin.degraded?.() === undefined)
  expect((await own.send(token)).answer).toBeUndefined()
})

test('the outage of one issuer is not felt by another', async () => {
  const other = await startIssuer()
  goDown()
  validator = makeValidator({ issuers: [registered(issuer), registered(other)] })
  expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('JWKS_UNAVAILABLE'))
  expect((await validator.send(await other.token())).answer).toBeUndefined()
  expect(validator.plugin.degraded?.()).toBe('no fresh keys of issuers[0]')
  await other.close()
})

test('requests that arrive before the first keys wait for them together', async () => {
  const own = start()
  const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.token()))
  const sent = await Promise.all(tokens.map((token) => own.send(token)))
  expect(sent.filter(({ answer }) => answer !== undefined)).toEqual([])
  expect(issuer.requests).toEqual(['/jwks'])
})

test('a closed validator fetches no more', async () => {
  const own = start()
  await own.send(await issuer.token())
  await own.plugin.close?.()
  await vi.advanceTimersByTimeAsync(3_600_000)
  expect(issuer.requests).toEqual(['/jwks'])
})
