import { parseJson } from '@agentic-rest/profile'
import { fitsAlgorithm, readKeySet } from '@agentic-rest/profile/key-set'
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

// Each candidate costs a signature check, and any caller can cause it.
const MAX_CANDIDATES = 5

/** Reads a JWK Set (RFC 7517, section 5); throws when it is none. Skips keys that cannot verify a signature. */
export function parseKeySet(document: Buffer): KeySet {
  const { value, fault } = parseJson(document.toString('utf8'))
  if (fault) throw new Error('the key set is not JSON')
  const set = readKeySet(value)
  if (set === undefined) throw new Error('the key set has no list of keys')
  const keys = set.keys
    .map((each) => ({ ...each, key: signatureKey(each.key) }))
    .filter(({ key }) => key.type !== 'rsa' || key.bits >= MIN_RSA_BITS)
  return {
    exposedKeys: set.exposedIds.length,
    select: ({ kid, algorithm }) =>
      keys
        .filter((key) => (kid === undefined || key.kid === kid) && fitsAlgorithm(key, algorithm))
        .slice(0, MAX_CANDIDATES)
        .map(({ key }) => key),
  }
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
