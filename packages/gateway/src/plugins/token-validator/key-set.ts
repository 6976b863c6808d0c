import { createPublicKey } from 'node:crypto'
import { parseJson } from '@agentic-rest/profile'
import { MIN_RSA_BITS, type SignatureKey, signatureKey } from './verify-signature.ts'

/** The key that a token names. */
export interface KeyQuery {
  readonly kid: string | undefined
  readonly algorithm: string
}

/** The answer of a source: keys that may have signed, no such key, or no answer at the moment. */
export type KeyLookup =
  | { readonly type: 'found'; readonly keys: readonly SignatureKey[]; readonly version: number }
  | { readonly type: 'unknown' }
  | { readonly type: 'unavailable' }

/** Told when a look-up waits for a fetch, and when it has ended. */
export interface Waiter {
  started(): void
  ended(): void
}

/** The keys of one issuer. Issuers never share a source. */
export interface KeySource {
  /** Changes with the keys; `undefined` while there are no valid ones. */
  version(): number | undefined
  /** Looks a key up; a remote source asks its issuer for an unknown key. */
  find(query: KeyQuery, waiter?: Waiter): KeyLookup | Promise<KeyLookup>
  /** Fetches the keys, unless the limits forbid it, and looks a key up among them. */
  findAfterRefetch(query: KeyQuery, waiter?: Waiter): KeyLookup | Promise<KeyLookup>
  /** Whether the last attempt to get the keys succeeded. */
  isFresh(): boolean
  /** Why the last attempt failed, as one word. */
  cause?(): string | undefined
  /** Fetches the keys; resolves when that has succeeded or failed. Known keys stay in use meanwhile. */
  warm(): Promise<void>
  close(): void
}

/** The usable public keys of a JWK Set. */
export interface KeySet {
  /** Keys that may have signed a token, five at most; without a `kid` every key of the right type matches. */
  select(query: KeyQuery): readonly SignatureKey[]
  /** The number of private or shared keys in the set, which an issuer must never publish. */
  readonly exposedKeys: number
}

type Jwk = Readonly<Record<string, unknown>>

interface PublicKey {
  readonly kid: unknown
  /** The only algorithm that the issuer allows for the key, if it names one. */
  readonly algorithm: unknown
  readonly shape: string
  readonly key: SignatureKey
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
// Each candidate costs a signature check, and any caller can cause it.
const MAX_CANDIDATES = 5

/** Reads a JWK Set (RFC 7517, section 5); throws when it is none. Skips keys that cannot verify a signature. */
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

function readKeys(document: Buffer): Jwk[] {
  const { value, fault } = parseJson(document.toString('utf8'))
  if (fault) throw new Error('the key set is not JSON')
  const keys = isRecord(value) ? value['keys'] : undefined
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys')
  return keys.filter(isRecord)
}

function isRecord(value: unknown): value is Jwk {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function toPublicKey(jwk: Jwk): PublicKey[] {
  if (isExposed(jwk) || !isForSignatures(jwk)) return []
  const key = importKey(jwk)
  if (key === undefined) return []
  const shape = jwk['kty'] === 'RSA' ? 'RSA' : `${jwk['kty']} ${jwk['crv']}`
  return [{ kid: jwk['kid'], algorithm: jwk['alg'], shape, key }]
}

function isExposed(jwk: Jwk): boolean {
  return jwk['kty'] === 'oct' || SECRET_MEMBERS.some((member) => Object.hasOwn(jwk, member))
}

function isForSignatures({ use = 'sig', key_ops = ['verify'] }: Jwk): boolean {
  return use === 'sig' && Array.isArray(key_ops) && key_ops.includes('verify')
}

function importKey(jwk: Jwk): SignatureKey | undefined {
  const { kty } = jwk
  if (typeof kty !== 'string' || !Object.hasOwn(PUBLIC_MEMBERS, kty)) return undefined
  const members = (PUBLIC_MEMBERS[kty] ?? []).map((name) => [name, jwk[name]])
  try {
    const key = signatureKey(createPublicKey({ key: { kty, ...Object.fromEntries(members) }, format: 'jwk' }))
    return key.type === 'rsa' && key.bits < MIN_RSA_BITS ? undefined : key
  } catch {
    return undefined
  }
}

function fits({ algorithm, shape }: PublicKey, wanted: string): boolean {
  if (shape !== SHAPE_BY_ALGORITHM[wanted]) return false
  // RFC 9864 names EdDSA with this curve `Ed25519`.
  return algorithm === undefined || algorithm === wanted || (wanted === 'EdDSA' && algorithm === 'Ed25519')
}

/** Creates a source whose keys never change: the keys of a file, or a shared secret. */
export function createFixedKeySource(select: (query: KeyQuery) => readonly SignatureKey[]): KeySource {
  const version = 1
  return {
    version: () => version,
    find(query) {
      const keys = select(query)
      return keys.length > 0 ? { type: 'found', keys, version } : { type: 'unknown' }
    },
    findAfterRefetch: () => ({ type: 'unknown' }),
    isFresh: () => true,
    warm: () => Promise.resolve(),
    close: () => undefined,
  }
}
