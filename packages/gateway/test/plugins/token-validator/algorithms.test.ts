import { makeKey, ordinaryClaims } from '@agentic-rest/testing/sign-token'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { CompactSign } from 'jose'
import { expect, test } from 'vitest'
import { makeValidator, refusedWith, registered } from './make-validator.ts'

const ASYMMETRIC = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
const SECRET = 'a secret of at least thirty-two characters'

async function hs256Token(issuer: string, secret: string): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(ordinaryClaims(issuer))))
    .setProtectedHeader({ alg: 'HS256' })
    .sign(Buffer.from(secret))
}

test.each(ASYMMETRIC)('a token signed with %s is accepted by an issuer that allows it', async (algorithm) => {
  const issuer = await startIssuer(algorithm)
  const validator = makeValidator({ issuers: [registered(issuer)] })
  const { answer, exchange } = await validator.send(await issuer.token())
  expect(answer).toBeUndefined()
  expect(exchange.identity?.subject).toBe('alice')
  await Promise.all([validator.close(), issuer.close()])
})

test.each(ASYMMETRIC)(
  'a token signed with %s is refused by an issuer that allows all others',
  async (algorithm) => {
    const issuer = await startIssuer(algorithm)
    const others = ASYMMETRIC.filter((other) => other !== algorithm)
    const validator = makeValidator({ issuers: [registered(issuer, { algorithms: others })] })
    expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('DISALLOWED_ALGORITHM'))
    await Promise.all([validator.close(), issuer.close()])
  },
)

test('one issuer may use several algorithms, each with a key of its own', async () => {
  const issuer = await startIssuer('RS256')
  const keys = await Promise.all(
    ['PS256', 'ES256', 'ES512', 'EdDSA'].map((name) => makeKey(name, `k-${name}`)),
  )
  issuer.published = [issuer.key.jwk, ...keys.map(({ jwk }) => jwk)]
  const validator = makeValidator({ issuers: [registered(issuer, { algorithms: ASYMMETRIC })] })
  for (const key of [issuer.key, ...keys])
    expect((await validator.send(await issuer.token({ key }))).answer).toBeUndefined()
  await Promise.all([validator.close(), issuer.close()])
})

test('a key that its issuer restricts to one algorithm verifies no other', async () => {
  const issuer = await startIssuer('PS256')
  issuer.published = [{ ...issuer.key.jwk, alg: 'RS256' }]
  const validator = makeValidator({ issuers: [registered(issuer, { algorithms: ['RS256', 'PS256'] })] })
  expect((await validator.send(await issuer.token())).answer).toEqual(refusedWith('INVALID_TOKEN'))
  await Promise.all([validator.close(), issuer.close()])
})

test('HS256 works with hs256_secret alone and makes no look-up', async () => {
  const issuer = { issuer: 'test-issuer', audience: ['agentic'], algorithms: ['HS256'], hs256_secret: SECRET }
  const validator = makeValidator({ issuers: [issuer] })
  expect((await validator.send(await hs256Token('test-issuer', SECRET))).answer).toBeUndefined()
  const forged = await hs256Token('test-issuer', SECRET.toUpperCase())
  expect((await validator.send(forged)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  expect(validator.plugin.degraded?.()).toBeUndefined()
  await validator.close()
})

test('an issuer with a secret and with published keys checks each algorithm with its own', async () => {
  const issuer = await startIssuer('RS256')
  const both = registered(issuer, { algorithms: ['RS256', 'HS256'], hs256_secret: SECRET })
  const validator = makeValidator({ issuers: [both] })
  expect((await validator.send(await issuer.token())).answer).toBeUndefined()
  expect((await validator.send(await hs256Token(issuer.url, SECRET))).answer).toBeUndefined()
  const withPublicKey = await hs256Token(issuer.url, JSON.stringify(issuer.key.jwk))
  expect((await validator.send(withPublicKey)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  await Promise.all([validator.close(), issuer.close()])
})

test('the secret of one issuer signs nothing for another', async () => {
  const issuer = await startIssuer('RS256')
  const secret = { issuer: 'test-issuer', algorithms: ['HS256'], hs256_secret: SECRET }
  const validator = makeValidator({ issuers: [registered(issuer), secret] })
  const forged = await hs256Token(issuer.url, SECRET)
  expect((await validator.send(forged)).answer).toEqual(refusedWith('DISALLOWED_ALGORITHM'))
  await Promise.all([validator.close(), issuer.close()])
})
