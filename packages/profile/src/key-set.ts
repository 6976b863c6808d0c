import { createPublicKey, type KeyObject } from 'node:crypto'

/** The public keys of a JWK Set that can verify signatures. */
export interface PublicKeys {
  readonly keys: readonly PublicKey[]
  /** The ids of private and shared keys in the set, which must never be published. They are not used. */
  readonly exposedIds: readonly (string | undefined)[]
}

/** A public key of a set. */
export interface PublicKey {
  readonly kid: string | undefined
  readonly key: KeyObject
  /** The only algorithm that the set allows for the key, if it names one. */
  readonly algorithm: unknown
  /** The type with its curve. */
  readonly shape: string
}

type Jwk = Readonly<Record<string, unknown>>

const SHAPE_BY_ALGORITHM: ReadonlyMap<string, string> = new Map([
  ['RS256', 'RSA'],
  ['RS384', 'RSA'],
  ['RS512', 'RSA'],
  ['PS256', 'RSA'],
  ['PS384', 'RSA'],
  ['PS512', 'RSA'],
  ['ES256', 'EC P-256'],
  ['ES384', 'EC P-384'],
  ['ES512', 'EC P-521'],
  ['EdDSA', 'OKP Ed25519'],
])

const PUBLIC_MEMBERS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['RSA', ['n', 'e']],
  ['EC', ['crv', 'x', 'y']],
  ['OKP', ['crv', 'x']],
])

const SECRET_MEMBERS = ['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'priv']

/** Reads a parsed JWK Set (RFC 7517, section 5); `undefined` when it is none. Skips keys that cannot verify a signature. */
export function readKeySet(set: unknown): PublicKeys | undefined {
  const listed = isRecord(set) ? set['keys'] : undefined
  if (!Array.isArray(listed)) return undefined
  const jwks = listed.filter(isRecord)
  return { keys: jwks.flatMap(toPublicKey), exposedIds: jwks.filter(isExposed).map(idOf) }
}

/** Whether a key may have made a signature of an algorithm (RFC 7518, section 3.1, and RFC 8037). */
export function fitsAlgorithm(
  { algorithm, shape }: Pick<PublicKey, 'algorithm' | 'shape'>,
  wanted: string,
): boolean {
  if (shape !== SHAPE_BY_ALGORITHM.get(wanted)) return false
  // RFC 9864 names EdDSA with this curve `Ed25519`.
  return algorithm === undefined || algorithm === wanted || (wanted === 'EdDSA' && algorithm === 'Ed25519')
}

function isRecord(value: unknown): value is Jwk {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toPublicKey(jwk: Jwk): PublicKey[] {
  const { kid, kty, crv, alg } = jwk
  const isNamed = kid === undefined || typeof kid === 'string'
  if (!isNamed || isExposed(jwk) || !isForSignatures(jwk)) return []
  const key = importKey(jwk)
  return key === undefined
    ? []
    : [{ kid, algorithm: alg, shape: kty === 'RSA' ? 'RSA' : `${kty} ${crv}`, key }]
}

function idOf({ kid }: Jwk): string | undefined {
  return typeof kid === 'string' ? kid : undefined
}

function isExposed(jwk: Jwk): boolean {
  return jwk['kty'] === 'oct' || SECRET_MEMBERS.some((member) => Object.hasOwn(jwk, member))
}

function isForSignatures({ use = 'sig', key_ops = ['verify'] }: Jwk): boolean {
  return use === 'sig' && Array.isArray(key_ops) && key_ops.includes('verify')
}

function importKey(jwk: Jwk): KeyObject | undefined {
  const { kty } = jwk
  const members = PUBLIC_MEMBERS.get(kty)?.map((name) => [name, jwk[name]])
  if (members === undefined) return undefined
  try {
    return createPublicKey({ key: { kty: String(kty), ...Object.fromEntries(members) }, format: 'jwk' })
  } catch {
    return undefined
  }
}
