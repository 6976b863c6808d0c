import {
  constants,
  createHmac,
  createSecretKey,
  generateKeyPairSync,
  type KeyObject,
  type SignKeyObjectInput,
  sign,
} from 'node:crypto'
import { compactVerify } from 'jose'
import { expect, test } from 'vitest'
import { isSignedByAny, type SignedText, signatureKey } from './verify-signature.ts'

const testSeed = Number(process.env['SEED'])

interface Pair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

const secret = createSecretKey(Buffer.from('a secret of at least thirty-two characters'))
const rsa = (modulusLength: number, publicExponent = 65_537) =>
  generateKeyPairSync('rsa', { modulusLength, publicExponent })
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })
const pairs = {
  rsa: rsa(2048),
  'other rsa': rsa(2048),
  'weak rsa': rsa(1024),
  'exponent 3': rsa(2048, 3),
  'rsa-pss': generateKeyPairSync('rsa-pss', {
    modulusLength: 2048,
    hashAlgorithm: 'sha256',
    mgf1HashAlgorithm: 'sha256',
  }),
  'P-256': ec('P-256'),
  'other P-256': ec('P-256'),
  'P-384': ec('P-384'),
  'P-521': ec('P-521'),
  secp256k1: ec('secp256k1'),
  ed25519: generateKeyPairSync('ed25519'),
  'other ed25519': generateKeyPairSync('ed25519'),
  ed448: generateKeyPairSync('ed448'),
} satisfies Record<string, Pair>

const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants
const pss = (saltLength: number) => ({ padding: RSA_PKCS1_PSS_PADDING, saltLength })
const p1363 = { dsaEncoding: 'ieee-p1363' } as const
const der = { dsaEncoding: 'der' } as const

/** The right way to sign, by algorithm. */
const signing = {
  RS256: { pair: pairs.rsa, digest: 'sha256', options: { padding: RSA_PKCS1_PADDING } },
  RS384: { pair: pairs.rsa, digest: 'sha384', options: { padding: RSA_PKCS1_PADDING } },
  RS512: { pair: pairs.rsa, digest: 'sha512', options: { padding: RSA_PKCS1_PADDING } },
  PS256: { pair: pairs.rsa, digest: 'sha256', options: pss(32) },
  PS384: { pair: pairs.rsa, digest: 'sha384', options: pss(48) },
  PS512: { pair: pairs.rsa, digest: 'sha512', options: pss(64) },
  ES256: { pair: pairs['P-256'], digest: 'sha256', options: p1363 },
  ES384: { pair: pairs['P-384'], digest: 'sha384', options: p1363 },
  ES512: { pair: pairs['P-521'], digest: 'sha512', options: p1363 },
  EdDSA: { pair: pairs.ed25519, digest: undefined, options: {} },
} satisfies Record<string, Signing>

interface Signing {
  readonly pair: Pair
  readonly digest: string | undefined
  readonly options: Omit<SignKeyObjectInput, 'key'>
}

const ways = Object.values(signing) as readonly Signing[]
const publicKeys = Object.values(pairs).map(({ publicKey }) => publicKey)
const keys = [...publicKeys, secret, pairs.rsa.privateKey, pairs.ed25519.privateKey]

/** A small generator (mulberry32): the same cases for the same seed. */
function generator(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const random = generator(testSeed)
const filler = signatureKey(rsa(2048).publicKey)

function textOf(algorithm: string, claims: string): Buffer {
  const part = (text: string) => Buffer.from(text).toString('base64url')
  return Buffer.from(`${part(JSON.stringify({ alg: algorithm }))}.${part(claims)}`)
}

function signWith({ pair, digest, options }: Signing, text: Buffer): Buffer {
  return sign(digest, text, { key: pair.privateKey, ...options })
}

/** Signatures of a text: by all algorithms and keys, in wrong encodings, with other salts, and none at all. */
function signaturesOf(text: Buffer): Buffer[] {
  const publicTexts = publicKeys.flatMap((key) => [
    key.export({ type: 'spki', format: 'pem' }),
    key.export({ type: 'spki', format: 'der' }),
  ])
  return [
    ...ways.map((way) => signWith(way, text)),
    ...[pairs['other rsa'], pairs['weak rsa'], pairs['exponent 3']].map((pair) =>
      signWith({ ...signing.RS256, pair }, text),
    ),
    ...[0, 20, 31, 33].map((salt) => signWith({ ...signing.PS256, options: pss(salt) }, text)),
    ...[signing.ES256, signing.ES384, signing.ES512].map((way) => signWith({ ...way, options: der }, text)),
    signWith({ ...signing.ES256, pair: pairs.secp256k1 }, text),
    signWith({ ...signing.ES256, pair: pairs['other P-256'] }, text),
    signWith({ ...signing.EdDSA, pair: pairs['other ed25519'] }, text),
    signWith({ ...signing.EdDSA, pair: pairs.ed448 }, text),
    ...[secret, ...publicTexts].map((key) => createHmac('sha256', key).update(text).digest()),
    ...[0, 1, 32, 64, 96, 132, 256].flatMap((length) => [Buffer.alloc(length), Buffer.alloc(length, 255)]),
  ]
}

/** The same with one bit, its start, its end or its length changed. */
function mutated(signature: Buffer): Buffer {
  const copy = Buffer.from(signature)
  const at = random(Math.max(1, copy.length))
  switch (random(5)) {
    case 0:
      return copy.subarray(0, at)
    case 1:
      return Buffer.concat([copy, Buffer.alloc(1 + random(3), random(256))])
    case 2:
      return Buffer.concat([Buffer.alloc(1 + random(2)), copy])
    case 3:
      return copy.subarray(at)
    default:
      if (copy.length > 0) copy[at] = (copy[at] ?? 0) ^ (1 << random(8))
      return copy
  }
}

async function acceptedByJose({ algorithm, text, signature }: SignedText, key: KeyObject): Promise<boolean> {
  try {
    const token = `${text.toString('latin1')}.${signature.toString('base64url')}`
    await compactVerify(token, key, { algorithms: [algorithm] })
    return true
  } catch {
    return false
  }
}

/** Our verdicts on this thread or in threads: with a second key a check goes to the threads. */
async function accepted(signed: SignedText, key: KeyObject): Promise<boolean> {
  const own = signatureKey(key)
  const alone = await isSignedByAny(signed, [own])
  expect(await isSignedByAny(signed, [filler, own])).toBe(alone)
  return alone
}

test.each(Object.entries(signing))('%s accepts its own signature and no changed one', async (name, way) => {
  const text = textOf(name, '{"sub":"alice"}')
  const signature = signWith(way, text)
  expect(await accepted({ algorithm: name, text, signature }, way.pair.publicKey)).toBe(true)
  for (let index = 0; index < 20; index += 1)
    expect(await accepted({ algorithm: name, text, signature: mutated(signature) }, way.pair.publicKey)).toBe(
      false,
    )
})

test('HS256 accepts the code of its secret, and never one that a public key made', async () => {
  const text = textOf('HS256', '{}')
  const codeBy = (key: KeyObject | string) => createHmac('sha256', key).update(text).digest()
  expect(await accepted({ algorithm: 'HS256', text, signature: codeBy(secret) }, secret)).toBe(true)
  const pem = pairs.rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
  expect(await accepted({ algorithm: 'HS256', text, signature: codeBy(pem) }, pairs.rsa.publicKey)).toBe(
    false,
  )
})

function casesOf(algorithm: string): { readonly signed: SignedText; readonly key: KeyObject }[] {
  const text = textOf(algorithm, `{"jti":${random(1_000_000)}}`)
  const signatures = signaturesOf(text).flatMap((own) => [own, mutated(own)])
  return signatures.flatMap((signature) =>
    keys.map((key) => ({ signed: { algorithm, text, signature }, key })),
  )
}

test.each([...Object.keys(signing), 'HS256'])(
  `%s has the verdicts of jose, seed ${testSeed}`,
  async (algorithm) => {
    let valid = 0
    for (const { signed, key } of casesOf(algorithm)) {
      const verdict = await isSignedByAny(signed, [signatureKey(key)])
      const what = `${key.asymmetricKeyType ?? key.type}, ${signed.signature.toString('hex')}`
      expect(verdict, what).toBe(await acceptedByJose(signed, key))
      if (verdict) valid += 1
    }
    expect(valid).toBeGreaterThan(0)
  },
)

test.each(['HS384', 'HS512', 'ES256K', 'Ed25519', 'none', 'rs256', '__proto__', ''])(
  'the algorithm "%s" accepts nothing',
  async (algorithm) => {
    for (const { signed, key } of casesOf(algorithm))
      expect(await isSignedByAny(signed, [signatureKey(key)])).toBe(false)
  },
)

test('one quick key answers at once; dear keys and several keys answer by a promise', async () => {
  const text = textOf('RS256', '{}')
  const signed = { algorithm: 'RS256', text, signature: signWith(signing.RS256, text) }
  const [known, other] = [signatureKey(pairs.rsa.publicKey), signatureKey(pairs['other rsa'].publicKey)]
  expect(isSignedByAny(signed, [known])).toBe(true)
  expect(isSignedByAny(signed, [other])).toBe(false)
  expect(isSignedByAny(signed, [])).toBe(false)
  const several = isSignedByAny(signed, [other, known])
  expect(several).toBeInstanceOf(Promise)
  expect(await several).toBe(true)
})

test.each([
  ['RSA of 2048 bits', true, pairs.rsa.publicKey],
  ['RSA with the exponent 3', true, pairs['exponent 3'].publicKey],
  ['RSA with a longer exponent', false, rsa(2048, 65_539).publicKey],
  ['RSA of 4104 bits', false, rsa(4104).publicKey],
  ['P-256', false, pairs['P-256'].publicKey],
  ['Ed25519', false, pairs.ed25519.publicKey],
  ['a secret', true, secret],
  ['a private key', false, pairs.rsa.privateKey],
])('%s is quick: %s', (_name, isQuick, key) => {
  expect(signatureKey(key).isQuick).toBe(isQuick)
})
