import { createPublicKey, type KeyObject } from 'node:crypto'
import { isRecord } from '../../config/is-record.ts'
import type { JsonObject } from './decode-token.ts'
import type { KeyQuery } from './key-source.ts'

/** The usable public keys of a JWK Set. */
export interface KeySet {
  /** Keys that may have signed a token, a handful at most; a token without `kid` may match any of the right type. */
  select(query: KeyQuery): readonly KeyObject[]
  /** How many private or shared keys the issuer published, which none of its verifiers should ever see. */
  readonly exposedKeys: number
}

interface PublicKey {
  readonly kid: unknown
  /** The algorithm that the issuer restricts the key to, if it does. */
  readonly algorithm: unknown
  readonly shape: string
  readonly key: KeyObject
}

const SHAPE_BY_ALGORITHM: Readonly<Record<string, string>> = {
  RS256: 'RSA',
  RS384: 'RSA',
  RS512: 'RSA',
  PS256: 'RSA',
  PS384: 'RSA',
  PS512: 'RSA',
  ES256: 'EC P-256',
  ES384: 'EC P-384',
  ES512: 'EC P-521',
  EdDSA: 'OKP Ed25519',
}

const PUBLIC_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

const SECRET_MEMBERS = ['k', 'd', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'priv']
// RFC 7518, sections 3.3 and 3.5.
const MIN_RSA_BITS = 2048
// Each candidate costs a signature check, and who sends a token decides how often.
const MAX_CANDIDATES = 5

/** Reads a JWK Set (RFC 7517, section 5); throws when it is none. Keys that cannot verify are left out. */
export function parseKeySet(document: Buffer): KeySet {
  const jwks = readKeys(document)
  const keys = jwks.flatMap(toPublicKey)
  return {
    exposedKeys: jwks.filter(isExposed).length,
    select: ({ kid, algorithm }) =>
      keys
        .filter((key) => (kid === undefined || key.kid === kid) && fits(key, algorithm))
        .slice(0, MAX_CANDIDATES)
        .map(({ key }) => key),
  }
}

function readKeys(document: Buffer): JsonObject[] {
  const value: unknown = parseJson(document)
  const keys = isRecord(value) ? value['keys'] : undefined
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys')
  return keys.filter(isRecord)
}

function parseJson(document: Buffer): unknown {
  try {
    return JSON.parse(document.toString('utf8'))
  } catch {
    // The parser's own message would quote what the server sent.
    throw new Error('the key set is not JSON')
  }
}

function toPublicKey(jwk: JsonObject): PublicKey[] {
  if (isExposed(jwk) || !isForSignatures(jwk)) return []
  const key = importKey(jwk)
  if (key === undefined) return []
  const shape = jwk['kty'] === 'RSA' ? 'RSA' : `${jwk['kty']} ${jwk['crv']}`
  return [{ kid: jwk['kid'], algorithm: jwk['alg'], shape, key }]
}

function isExposed(jwk: JsonObject): boolean {
  return jwk['kty'] === 'oct' || SECRET_MEMBERS.some((member) => Object.hasOwn(jwk, member))
}

function isForSignatures({ use = 'sig', key_ops = ['verify'] }: JsonObject): boolean {
  return use === 'sig' && Array.isArray(key_ops) && key_ops.includes('verify')
}

function importKey(jwk: JsonObject): KeyObject | undefined {
  const { kty } = jwk
  if (typeof kty !== 'string' || !Object.hasOwn(PUBLIC_MEMBERS, kty)) return undefined
  const members = (PUBLIC_MEMBERS[kty] ?? []).map((name) => [name, jwk[name]])
  try {
    const key = createPublicKey({ key: { kty, ...Object.fromEntries(members) }, format: 'jwk' })
    return isStrong(key) ? key : undefined
  } catch {
    return undefined
  }
}

function isStrong(key: KeyObject): boolean {
  const bits = key.asymmetricKeyDetails?.modulusLength
  return bits === undefined || bits >= MIN_RSA_BITS
}

function fits({ algorithm, shape }: PublicKey, wanted: string): boolean {
  if (shape !== SHAPE_BY_ALGORITHM[wanted]) return false
  // RFC 9864 gave EdDSA with this curve a name of its own.
  return algorithm === undefined || algorithm === wanted || (wanted === 'EdDSA' && algorithm === 'Ed25519')
}
