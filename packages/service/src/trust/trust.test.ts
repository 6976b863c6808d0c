import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { memoryLog } from '@agentic-rest/testing/start-service'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { OwnEnd } from '../http/own-hosts.ts'
import { createTrust, type TrustOptions } from './trust.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k-1' }] }
const NOW = 1_800_000_000
const ORIGIN = 'http://10.0.0.5:8081'
const END = { address: '10.0.0.5', port: 8081, isSecure: false }

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW * 1000 }))
afterEach(() => void vi.useRealTimers())

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signed(claims: object = {}, header: object = {}, key: KeyObject = privateKey): string {
  const usual = { iss: 'agentic-gateway', aud: ORIGIN, sub: 'alice', tenant: 'acme', exp: NOW + 60 }
  const text = `${encode({ alg: 'EdDSA', typ: 'agentic-identity+jwt', kid: 'k-1', ...header })}.${encode({ ...usual, ...claims })}`
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`
}

function start(options: Partial<TrustOptions> = {}) {
  const { log, lines } = memoryLog()
  const trust = createTrust({ jwks, issuer: 'agentic-gateway', ...options } as TrustOptions, {
    fetch: () => expect.fail('nothing is fetched'),
    log,
  })
  const identify = (token: string, end: OwnEnd | undefined = END) =>
    trust.identify({ headers: new Headers({ 'x-agentic-identity': token }) }, end)
  return { identify, lines }
}

const accepted = { ok: true, value: expect.objectContaining({ subject: 'alice', tenant: 'acme' }) }
const refused = {
  ok: false,
  answer: expect.objectContaining({ outcome: expect.objectContaining({ code: 'IDENTITY_INVALID' }) }),
}

describe('a refused identity has its reason in the log', () => {
  test.each<[string, string]>([
    ['it is too long', signed({ x: 'x'.repeat(13_000) })],
    ['its algorithm is not allowed', signed({}, { alg: 'HS256' })],
    ['its algorithm is not allowed', signed({}, { alg: undefined })],
    ['its key is not known', signed({}, { kid: 'k-2' })],
    ['it is for another audience', signed({ aud: 'http://other.example' })],
    ['it is for another audience', signed({ aud: [] })],
    ['its sub is no text of 1 to 512 bytes', signed({ sub: '' })],
    ['its tenant is no text of 1 to 512 bytes', signed({ tenant: 't'.repeat(513) })],
    ['its actor is no text of 1 to 512 bytes', signed({ actor: null })],
    ['its act_iss is no text of 1 to 512 bytes', signed({ act_iss: ['x'] })],
    ['its bsha is no text of 1 to 512 bytes', signed({ bsha: 7 })],
    ['its roles are no list of texts', signed({ roles: 'admin' })],
    ['its roles are no list of texts', signed({ roles: ['reader', 7] })],
    ['signature verification failed', signed({}, {}, generateKeyPairSync('ed25519').privateKey)],
    ['missing required "exp" claim', signed({ exp: undefined })],
  ])('%s', async (cause, token) => {
    const { identify, lines } = start()
    expect(await identify(token)).toEqual(refused)
    expect(lines).toEqual([{ level: 'warn', message: 'an identity was refused', fields: { cause } }])
  })
})

test('one of several audiences is enough', async () => {
  expect(await start().identify(signed({ aud: ['http://other.example', ORIGIN] }))).toEqual(accepted)
})

describe('a verified token', () => {
  test('is kept until it expires, with the tolerance for clocks', async () => {
    const { identify } = start()
    const token = signed()
    expect(identify(token)).toBeInstanceOf(Promise)
    await identify(token)
    vi.setSystemTime((NOW + 90) * 1000 - 1)
    expect(identify(token)).toEqual(accepted)
    vi.setSystemTime((NOW + 90) * 1000)
    expect(await identify(token)).toEqual(refused)
  })

  test('is judged by the connection of each request', async () => {
    const { identify } = start()
    const token = signed()
    await identify(token)
    expect(identify(token, { ...END, port: 8082 })).toEqual(refused)
    expect(identify(token, { ...END, address: '10.0.0.6' })).toEqual(refused)
    expect(identify(token, { ...END, isSecure: true })).toEqual(refused)
    expect(identify(token)).toEqual(accepted)
  })

  test('makes place for newer ones', async () => {
    const { identify } = start()
    const tokens = Array.from({ length: 4_097 }, (_, index) => signed({ jti: `${index}` }))
    const [first = '', second = ''] = tokens
    for (const token of tokens.slice(0, -1)) await identify(token)
    expect(identify(first)).toEqual(accepted)
    await identify(tokens.at(-1) ?? '')
    expect(identify(first)).toBeInstanceOf(Promise)
    expect(identify(second)).toEqual(accepted)
  })
})

test.each(['xhttp://a', 'ftp://a', 'httpx://a', 'not a URL'])('the keys cannot be at %s', (jwksUrl) => {
  const { log } = memoryLog()
  expect(() => createTrust({ jwksUrl, issuer: 'x' }, { fetch, log })).toThrow('trust.jwksUrl has to be')
})

test.each([
  ['alone', [], { kid: 'k-2' }, 'trust.jwks has a private key ("k-2"); give its public part'],
  [
    'beside a public one',
    jwks.keys,
    { kid: 'k-2' },
    'trust.jwks has a private key ("k-2"); give its public part',
  ],
  ['without an id', [], {}, 'trust.jwks has a private key (without an id); give its public part'],
])('a private key %s is named, and its value is not', (_title, keys, members, message) => {
  const secret = privateKey.export({ format: 'jwk' })
  const create = () => start({ jwks: { keys: [...keys, { ...secret, ...members }] } })
  expect(create).toThrow(message)
  expect(create).not.toThrow(secret.d)
})

test('one empty audience of several is refused', () => {
  expect(() => start({ audience: ['http://a', ''] })).toThrow('trust.audience must not be empty')
})
