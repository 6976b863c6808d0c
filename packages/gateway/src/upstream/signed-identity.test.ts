import { createHash, generateKeyPairSync, verify } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeBody, makeExchange, makeIdentity } from '../../test/plugins/make-exchange.ts'
import { type IdentityOptions, IdentitySigner } from './signed-identity.ts'

const keys = generateKeyPairSync('ed25519')
const TARGET = 'http://campaigns.example'

function makeSigner(
  changes: Partial<IdentityOptions> = {},
  pem = keys.privateKey.export(pkcs8),
): IdentitySigner {
  const folder = mkdtempSync(join(tmpdir(), 'agentic-signer-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'key.pem')
  writeFileSync(file, pem)
  return new IdentitySigner({
    key_file: file,
    key_id: 'k-1',
    issuer: 'agentic-gateway',
    ttl_seconds: 60,
    body_digest: false,
    ...changes,
  })
}

const pkcs8 = { format: 'pem', type: 'pkcs8' } as const

function claimsOf(token: string): Record<string, unknown> {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const signed = Buffer.from(`${header}.${payload}`)
  expect(verify(null, signed, keys.publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
  return JSON.parse(Buffer.from(payload, 'base64url').toString())
}

const SECOND = 1_800_000_000

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: SECOND * 1000 + 300 }))
afterEach(() => void vi.useRealTimers())

test('the claims say who calls for whom, and until when', () => {
  const identity = makeIdentity({ roles: ['reader'] })
  const exchange = makeExchange({ identity, tenantId: 'acme', actor: 'Alice A.' })
  expect(claimsOf(makeSigner({ ttl_seconds: 5 }).sign(exchange, TARGET))).toEqual({
    iss: 'agentic-gateway',
    aud: TARGET,
    sub: 'alice',
    act_iss: 'https://id.example.test',
    actor: 'Alice A.',
    tenant: 'acme',
    roles: ['reader'],
    iat: SECOND,
    exp: SECOND + 5,
  })
})

test('without a token there is a tenant, and no caller', () => {
  const exchange = makeExchange({ identity: undefined, tenantId: 'acme', actor: '' })
  expect(claimsOf(makeSigner().sign(exchange, TARGET))).toEqual({
    iss: 'agentic-gateway',
    aud: TARGET,
    tenant: 'acme',
    roles: [],
    iat: SECOND,
    exp: SECOND + 60,
  })
})

describe('a token is signed once a second', () => {
  // A timestamp beside the claims would hide a second signature: Ed25519 is deterministic. P-256 is not.
  const ec = () => makeSigner({}, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(pkcs8))
  const identity = makeIdentity()
  const of = (changes: object = {}) =>
    makeExchange({ identity, tenantId: 'acme', actor: 'alice', ...changes })

  test('for the same caller, tenant, target and actor', () => {
    const signer = ec()
    const first = signer.sign(of(), TARGET)
    vi.setSystemTime(SECOND * 1000 + 999)
    expect(signer.sign(of(), TARGET)).toBe(first)
    vi.setSystemTime(SECOND * 1000 + 1000)
    const second = signer.sign(of(), TARGET)
    expect(second).not.toBe(first)
    expect(signer.sign(of(), TARGET)).toBe(second)
  })

  test('and another one for each difference', () => {
    const signer = ec()
    const tokens = [
      signer.sign(of(), TARGET),
      signer.sign(of({ tenantId: 'globex' }), TARGET),
      signer.sign(of(), 'http://other.example'),
      signer.sign(of({ actor: 'bob' }), TARGET),
      signer.sign(of({ identity: makeIdentity() }), TARGET),
      signer.sign(of({ identity: undefined }), TARGET),
    ]
    expect(new Set(tokens).size).toBe(tokens.length)
  })

  test('also without a token', () => {
    const signer = ec()
    const nobody = of({ identity: undefined })
    expect(signer.sign(nobody, TARGET)).toBe(signer.sign(nobody, TARGET))
  })
})

describe('the digest of a body', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('base64url')

  test('is signed for a body in memory, also an empty one', () => {
    const signer = makeSigner({ body_digest: true })
    const sign = (text: string) =>
      claimsOf(signer.sign(makeExchange({ body: makeBody(text) }), TARGET))['bsha']
    expect(sign('{"a":1}')).toBe(digest('{"a":1}'))
    expect(sign('{"a":2}')).toBe(digest('{"a":2}'))
    expect(sign('')).toBe(digest(''))
  })

  test('is not there for a body that streams, nor without the option', () => {
    const streamed = makeExchange({ body: makeBody([Buffer.from('{}')]) })
    expect(claimsOf(makeSigner({ body_digest: true }).sign(streamed, TARGET))).not.toHaveProperty('bsha')
    const whole = makeExchange({ body: makeBody('{}') })
    expect(claimsOf(makeSigner().sign(whole, TARGET))).not.toHaveProperty('bsha')
  })
})
