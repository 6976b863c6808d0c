import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { createFixedKeySource, parseKeySet } from './key-set.ts'
import { signatureKey } from './verify-signature.ts'

const curve = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).publicKey.export({ format: 'jwk' })
const published = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }),
  'P-256': curve('P-256'),
  'P-384': curve('P-384'),
  'P-521': curve('P-521'),
  secp256k1: curve('secp256k1'),
  Ed25519: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }),
  X25519: generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' }),
}
const named = Object.entries(published).map(([kid, jwk]) => ({ ...jwk, kid }))
const keys = parseKeySet(Buffer.from(JSON.stringify({ keys: named })))

test.each([
  ['RS256', 'RSA'],
  ['RS384', 'RSA'],
  ['RS512', 'RSA'],
  ['PS256', 'RSA'],
  ['PS384', 'RSA'],
  ['PS512', 'RSA'],
  ['ES256', 'P-256'],
  ['ES384', 'P-384'],
  ['ES512', 'P-521'],
  ['EdDSA', 'Ed25519'],
])('of all kinds of keys %s can be checked with %s alone', (algorithm, kid) => {
  const fitting = Object.keys(published).filter((name) => keys.select({ kid: name, algorithm }).length > 0)
  expect(fitting).toEqual([kid])
  expect(keys.select({ kid: undefined, algorithm }).map(({ key }) => key.export({ format: 'jwk' }))).toEqual([
    published[kid as keyof typeof published],
  ])
})

test.each(['HS256', 'none', 'ES256K', '__proto__', 'constructor'])(
  'no key fits the algorithm %s',
  (algorithm) => {
    expect(keys.select({ kid: undefined, algorithm })).toEqual([])
  },
)

test.each(['', 'null', '[]', '{}', '{"keys":{}}', '{"keys":null}', '<html>', '{"keys":[]'])(
  '%j is no key set',
  (text) => {
    expect(() => parseKeySet(Buffer.from(text))).toThrow(/^the key set /)
  },
)

const secret = signatureKey(createSecretKey(Buffer.from('a secret that is long enough for it')))
const source = createFixedKeySource(({ kid }) => (kid === 'known' ? [secret] : []))

test('a fixed source has the keys of its query, always in one version', () => {
  expect(source.version()).toBe(1)
  expect(source.find({ kid: 'known', algorithm: 'HS256' })).toEqual({
    type: 'found',
    keys: [secret],
    version: 1,
  })
})

test('a key that a fixed source does not have is unknown, and nobody could be asked about it', () => {
  expect(source.find({ kid: 'other', algorithm: 'HS256' })).toEqual({ type: 'unknown' })
  expect(source.findAfterRefetch({ kid: 'known', algorithm: 'HS256' })).toEqual({ type: 'unknown' })
})

test('a fixed source is ready from the start', async () => {
  expect(source.isFresh()).toBe(true)
  expect(source.warm()).toBeInstanceOf(Promise)
  expect([await source.warm(), source.close()]).toEqual([undefined, undefined])
})
