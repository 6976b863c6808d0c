import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { fitsAlgorithm, readKeySet } from './key-set.ts'

const { publicKey, privateKey } = generateKeyPairSync('ed25519')
const ed = { ...publicKey.export({ format: 'jwk' }), kid: 'k-1' }
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' })

test('keys are read with and without id, use and operations', () => {
  const keys = [ed, { ...ec, use: 'sig' }, { ...ec, key_ops: ['verify'], alg: 'ES256' }]
  expect(readKeySet({ keys })).toMatchObject({
    keys: [
      { kid: 'k-1', shape: 'OKP Ed25519', algorithm: undefined },
      { kid: undefined, shape: 'EC P-256', algorithm: undefined },
      { kid: undefined, shape: 'EC P-256', algorithm: 'ES256' },
    ],
    exposedIds: [],
  })
})

test.each([
  ['a number', 7, []],
  ['a text', 'RSA', []],
  ['null', null, []],
  ['of a type that is not known', { ...ed, kty: 'AKP' }, []],
  ['of a type from the prototype', { ...ed, kty: 'constructor' }, []],
  ['for another use', { ...ed, use: 'enc' }, []],
  ['for another operation', { ...ed, key_ops: ['deriveBits'] }, []],
  ['named by a number', { ...ed, kid: 7 }, []],
  ['without content', { kty: 'OKP', crv: 'Ed25519' }, []],
  ['a private key', { ...privateKey.export({ format: 'jwk' }), kid: 'k-2' }, ['k-2']],
  ['a shared key', { kty: 'oct', k: 'AAAA' }, [undefined]],
])('an entry that is %s is skipped', (_title, entry, exposedIds) => {
  expect(readKeySet({ keys: [entry, ed] })).toMatchObject({ keys: [{ kid: 'k-1' }], exposedIds })
})

test.each([7, 'keys', null, undefined, {}, [], { keys: 'all' }, { keys: {} }])('%j is no set', (given) => {
  expect(readKeySet(given)).toBeUndefined()
})

test('a key fits the algorithm of its type, unless the set names another one', () => {
  const key = { shape: 'OKP Ed25519', algorithm: undefined }
  expect(fitsAlgorithm(key, 'EdDSA')).toBe(true)
  expect(fitsAlgorithm({ ...key, algorithm: 'Ed25519' }, 'EdDSA')).toBe(true)
  expect(fitsAlgorithm({ ...key, algorithm: 'ES256' }, 'EdDSA')).toBe(false)
  expect(fitsAlgorithm({ shape: 'EC P-384', algorithm: undefined }, 'ES256')).toBe(false)
  expect(fitsAlgorithm(key, '__proto__')).toBe(false)
})
