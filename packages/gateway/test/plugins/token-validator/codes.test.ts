import { type IssuerServer, startIssuer } from '@agentic-rest/testing/start-issuer'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeValidator, refusedWith, registered, type TestValidator } from './make-validator.ts'

let issuer: IssuerServer
let stranger: IssuerServer
let validator: TestValidator

beforeAll(async () => {
  issuer = await startIssuer()
  stranger = await startIssuer()
  validator = makeValidator({ issuers: [registered(issuer)], required_claims: ['sub', 'plan.name'] })
})

afterAll(() => Promise.all([issuer.close(), stranger.close(), validator.close()]))

const plan = { plan: { name: 'gold' } }
const now = () => Math.floor(Date.now() / 1000)

async function answerTo(claims: Record<string, unknown>, header: Record<string, unknown> = {}) {
  return (await validator.send(await issuer.token({ claims: { ...plan, ...claims }, header }))).answer
}

test('a valid token lets the request go on and says who the caller is', async () => {
  const { answer, exchange } = await validator.send(
    await issuer.token({ claims: { ...plan, roles: ['a', 'b'] } }),
  )
  expect(answer).toBeUndefined()
  expect(exchange.actor).toBe('alice')
  expect(exchange.identity).toEqual({
    issuer: issuer.url,
    subject: 'alice',
    roles: ['a', 'b'],
    scopes: [],
    claims: expect.objectContaining({ iss: issuer.url, sub: 'alice', plan: { name: 'gold' } }),
    serviceAccount: false,
    serviceTenants: undefined,
    tenantClaim: undefined,
  })
})

test('a refused request has no identity and no actor', async () => {
  const { exchange } = await validator.send(await issuer.token())
  expect(exchange.identity).toBeUndefined()
  expect(exchange.actor).toBe('')
})

describe('MISSING_TOKEN', () => {
  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer    ',
    'Basic YTpi',
    'Bearer\tx.y.z',
    'DPoP x.y.z',
    'x.y.z',
  ])('is the answer to the header %j', async (header) => {
    const headers: Record<string, string> = header === undefined ? {} : { Authorization: header }
    expect((await validator.send(undefined, { headers })).answer).toEqual(refusedWith('MISSING_TOKEN'))
  })
})

describe('the scheme', () => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR', 'Bearer  '])('%j is accepted', async (scheme) => {
    const token = await issuer.token({ claims: plan })
    const { answer } = await validator.send(undefined, { headers: { Authorization: `${scheme} ${token}` } })
    expect(answer).toBeUndefined()
  })
})

describe('INVALID_TOKEN', () => {
  test.each(['abc', 'a.b', 'a.b.c', 'a.b.c.d', '..', 'two words', `${'a'.repeat(8193)}`])(
    'is the answer to a credential that is no token (%#)',
    async (token) => {
      expect((await validator.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN'))
    },
  )

  test('is the answer to a token longer than max_token_bytes and to none at the limit', async () => {
    const token = await issuer.token({ claims: plan })
    const exact = makeValidator({ issuers: [registered(issuer)], max_token_bytes: token.length })
    const short = makeValidator({ issuers: [registered(issuer)], max_token_bytes: token.length - 1 })
    expect((await exact.send(token)).answer).toBeUndefined()
    expect((await short.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN'))
    await Promise.all([exact.close(), short.close()])
  })

  test('is the answer to a changed signature', async () => {
    const [header, payload, signature = ''] = (await issuer.token({ claims: plan })).split('.')
    const changed = signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`
    expect((await validator.send(`${header}.${payload}.${changed}`)).answer).toEqual(
      refusedWith('INVALID_TOKEN'),
    )
  })

  test('is the answer to a type that is not in token_types', async () => {
    expect(await answerTo({}, { typ: 'logout+jwt' })).toEqual(refusedWith('INVALID_TOKEN'))
  })

  test.each([undefined, 'at+jwt', 'AT+JWT', 'jwt', 'JWT', 'application/at+jwt', 'Application/JWT'])(
    'is not the answer to the type %j',
    async (typ) => expect(await answerTo({}, { typ })).toBeUndefined(),
  )
})

describe('time', () => {
  test('a token is good until the skew after exp has passed', async () => {
    expect(await answerTo({ exp: now() - 25 })).toBeUndefined()
    expect(await answerTo({ exp: now() - 31 })).toEqual(refusedWith('TOKEN_EXPIRED'))
  })

  test('a token is good from the skew before nbf on', async () => {
    expect(await answerTo({ nbf: now() + 25 })).toBeUndefined()
    expect(await answerTo({ nbf: now() + 35 })).toEqual(refusedWith('TOKEN_NOT_YET_VALID'))
  })

  test('a token without exp lacks a required claim', async () => {
    expect(await answerTo({ exp: undefined })).toEqual(refusedWith('REQUIRED_CLAIM_MISSING'))
  })

  test.each([
    { exp: '99999999999' },
    { exp: null },
    { nbf: '1' },
    { iat: 'now' },
    { exp: 1e300 },
    { exp: -1 },
  ])('a date that is no number of seconds is refused: %j', async (claims) =>
    expect(await answerTo(claims)).toEqual(refusedWith('INVALID_TOKEN')),
  )

  test('an expired token is called expired whoever signed it, and nobody asks for its key', async () => {
    const before = issuer.requests.length
    const token = await issuer.token({ claims: { exp: now() - 60 }, header: { kid: 'long-gone' } })
    expect((await validator.send(token)).answer).toEqual(refusedWith('TOKEN_EXPIRED'))
    expect(issuer.requests.length).toBe(before)
  })
})

describe('UNKNOWN_ISSUER', () => {
  test('is the answer to a token of an issuer that is not registered, which is never called', async () => {
    expect((await validator.send(await stranger.token())).answer).toEqual(refusedWith('UNKNOWN_ISSUER'))
    expect(stranger.requests).toEqual([])
  })

  test.each([undefined, null, 7, ['x'], '__proto__'])('is the answer to the iss %j', async (iss) => {
    expect(await answerTo({ iss })).toEqual(refusedWith('UNKNOWN_ISSUER'))
  })
})

describe('AUDIENCE_MISMATCH', () => {
  test.each([undefined, 'other', ['a', 'b'], [], 'Agentic', 7, null, { agentic: true }, [['agentic']]])(
    'is the answer to the aud %j',
    async (aud) => expect(await answerTo({ aud })).toEqual(refusedWith('AUDIENCE_MISMATCH')),
  )

  test('is not the answer when one of several audiences fits', async () => {
    expect(await answerTo({ aud: ['other', 'agentic'] })).toBeUndefined()
  })

  test('is never the answer where no audience is configured', async () => {
    const open = makeValidator({ issuers: [registered(issuer, { audience: [] })] })
    expect((await open.send(await issuer.token({ claims: { aud: undefined } }))).answer).toBeUndefined()
    await open.close()
  })
})

describe('REQUIRED_CLAIM_MISSING', () => {
  test.each([
    { plan: undefined },
    { plan: {} },
    { plan: { name: '' } },
    { plan: { name: null } },
    { plan: { name: [] } },
    { plan: 'gold' },
    { sub: undefined },
    { sub: '' },
  ])('is the answer to %j', async (claims) => {
    expect(await answerTo(claims)).toEqual(refusedWith('REQUIRED_CLAIM_MISSING'))
  })

  test.each([0, false, 'x', ['x']])('is not the answer when the claim is %j', async (name) => {
    expect(await answerTo({ plan: { name } })).toBeUndefined()
  })
})

test('DISALLOWED_ALGORITHM is the answer to a token signed with a key of the issuer by another algorithm', async () => {
  const strict = makeValidator({ issuers: [registered(issuer, { algorithms: ['RS256', 'ES256'] })] })
  expect((await strict.send(await issuer.token())).answer).toEqual(refusedWith('DISALLOWED_ALGORITHM'))
  await strict.close()
})

describe('what is wrong with the claims is told only to who can sign', () => {
  test.each([{ aud: 'other' }, { plan: undefined }, { sub: undefined }])('%j', async (claims) => {
    const token = await stranger.token({ claims: { iss: issuer.url, ...claims } })
    expect((await validator.send(token)).answer).toEqual(refusedWith('INVALID_TOKEN'))
  })
})
