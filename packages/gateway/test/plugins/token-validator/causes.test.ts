import { writeFiles } from '@agentic-rest/testing/make-certificate'
import { makeKey, type TokenParts } from '@agentic-rest/testing/sign-token'
import { startIssuer } from '@agentic-rest/testing/start-issuer'
import { expect, onTestFinished, test } from 'vitest'
import type { invalidTokenCauses } from '../../../src/plugins/token-validator/inspect-token.ts'
import { answering, startLookupServer } from '../lookup-server.ts'
import { makeValidator, refusedWith, registered } from './make-validator.ts'

type Cause = (typeof invalidTokenCauses)[number]

const stranger = await makeKey('EdDSA', 'key-1')
const unknown = await makeKey('EdDSA', 'key-9')

/** A token for every cause: a text, or its differences from a valid one. */
const tokens: Record<Cause, string | TokenParts> = {
  TOO_LONG: 'a'.repeat(8193),
  MALFORMED: 'a,b',
  UNSUPPORTED_HEADER: { header: { kid: 'x'.repeat(257) } },
  ID_TOKEN: { header: { typ: undefined }, claims: { nonce: 'n' } },
  WRONG_TYPE: { header: { typ: 'logout+jwt' } },
  INVALID_DATE: { claims: { exp: 'tomorrow' } },
  UNKNOWN_KEY: { key: unknown },
  WRONG_SIGNATURE: { key: stranger },
  UNUSABLE_SUBJECT: { claims: { sub: 'älice' } },
  NOT_ACTIVE: 'opaque-token',
  OTHER_CERTIFICATE: { claims: { cnf: { 'x5t#S256': 'abc' } } },
  UNCHECKED_BINDING: { claims: { cnf: { jkt: 'abc' } } },
}

async function startValidator(options: Record<string, unknown> = {}) {
  const issuer = await startIssuer()
  const server = await startLookupServer(answering(200, { active: false }))
  const { secret } = writeFiles({ secret: 'a secret\n' })
  const url = `${server.origin}/introspect`
  const introspection = { url, client_id: 'me', client_secret_file: secret }
  const opaque = { issuer: 'https://opaque.example.test', audience: ['agentic'], introspection }
  const validator = makeValidator({ issuers: [registered(issuer), opaque], ...options })
  onTestFinished(async () => void (await Promise.all([issuer.close(), server.close(), validator.close()])))
  return { issuer, validator }
}

test.each(Object.entries(tokens))(
  '%s is the cause of INVALID_TOKEN, and told to nobody',
  async (cause, made) => {
    const { issuer, validator } = await startValidator()
    const token = typeof made === 'string' ? made : await issuer.token(made)
    const { answer, exchange } = await validator.send(token)
    expect(answer).toEqual(refusedWith('INVALID_TOKEN'))
    expect(exchange.cause).toBe(cause)
  },
)

test.each([
  ['plan.name', {}],
  ['sub', { plan: { name: 'gold' }, sub: '' }],
  ['exp', { exp: undefined }],
])('a token without %s names the claim as its rule', async (claim, claims) => {
  const { issuer, validator } = await startValidator({ required_claims: ['sub', 'plan.name'] })
  const { answer, exchange } = await validator.send(await issuer.token({ claims }))
  expect(answer).toEqual(refusedWith('REQUIRED_CLAIM_MISSING'))
  expect(exchange.rule).toBe(claim)
})
