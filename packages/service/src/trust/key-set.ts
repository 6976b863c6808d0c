import type { KeyObject } from 'node:crypto'
import { parseJson } from '@agentic-rest/profile'
import { fitsAlgorithm, type PublicKey, readKeySet } from '@agentic-rest/profile/key-set'
import { decodeUtf8, readBytes } from '../http/read-body.ts'
import type { Log } from '../log.ts'

/** A JSON Web Key Set (RFC 7517). */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/** The accepted algorithms. Everything else, such as `none` and `HS256`, has no keys here. */
export type KeyAlgorithm = (typeof ALGORITHMS)[number]

const ALGORITHMS = ['EdDSA', 'ES256'] as const

/** The key that the header of a token names. */
export interface WantedKey {
  readonly kid: string | undefined
  readonly alg: KeyAlgorithm
}

/** The result of a lookup: `unavailable` means that there is no key set at all. */
export type FoundKey =
  | { readonly kind: 'found'; readonly key: KeyObject }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unavailable' }

/** The public keys of a gateway. */
export interface KeySet {
  find(wanted: WantedKey): FoundKey | Promise<FoundKey>
}

/** The keys of a set that an accepted algorithm can use. */
export function usableKeys(set: unknown): readonly PublicKey[] {
  const { keys = [] } = readKeySet(set) ?? {}
  return keys.filter((key) => ALGORITHMS.some((algorithm) => fitsAlgorithm(key, algorithm)))
}

/** Why a set is not usable: it has private keys, or no key of an accepted algorithm. It never names a value. */
export function faultOfKeys(set: unknown): string | undefined {
  const [exposed] = (readKeySet(set)?.exposedIds ?? []).map((id) =>
    id === undefined ? 'without an id' : `"${id}"`,
  )
  if (exposed !== undefined)
    return `has a private key (${exposed}); give its public part, without the members that are secret`
  return usableKeys(set).length === 0 ? 'has no Ed25519 or P-256 key for signatures' : undefined
}

/** Finds a key by its id. A token without one is accepted if only one key is possible. */
function pick(keys: readonly PublicKey[], { kid, alg }: WantedKey): FoundKey {
  const possible = keys.filter((each) => fitsAlgorithm(each, alg) && (kid === undefined || each.kid === kid))
  const [only, ...others] = possible
  return only === undefined || others.length > 0 ? { kind: 'unknown' } : { kind: 'found', key: only.key }
}

/** A key set that never changes. */
export function staticKeySet(keys: readonly PublicKey[]): KeySet {
  return { find: (wanted) => pick(keys, wanted) }
}

// A removed key is noticed within this time.
const MAX_AGE_MS = 10 * 60 * 1000
// While the gateway does not answer, its keys stay valid this long.
const MAX_STALE_MS = 24 * 60 * 60 * 1000
// The pause after a fetch, so that tokens with unknown key ids do not become requests to the gateway.
const COOLDOWN_MS = 10_000
const COOLDOWN_AFTER_FAILURE_MS = 1_000
const TIMEOUT_MS = 5_000
const MAX_BYTES = 64 * 1024

/** The options of a fetched key set. */
interface RemoteOptions {
  readonly url: string
  readonly fetch: typeof fetch
  readonly log: Log
}

/** A key set at a URL: fetched at its first use, again for an unknown key id and by age, one fetch at a time. */
export function remoteKeySet(options: RemoteOptions): KeySet {
  let kept: { readonly keys: readonly PublicKey[]; readonly since: number } | undefined
  let nextFetch = 0
  let fetching: Promise<void> | undefined

  const fresh = () => (kept !== undefined && age() < MAX_STALE_MS ? kept.keys : undefined)
  const age = () => (kept === undefined ? 0 : performance.now() - kept.since)
  const refresh = () => {
    fetching ??= fetchKeys(options)
      .then((keys) => {
        kept = { keys, since: performance.now() }
        nextFetch = performance.now() + COOLDOWN_MS
      })
      .catch((cause: unknown) => {
        nextFetch = performance.now() + COOLDOWN_AFTER_FAILURE_MS
        options.log.warn('the keys of the gateway cannot be fetched', { cause })
      })
      .finally(() => {
        fetching = undefined
      })
    return fetching
  }
  const look = (wanted: WantedKey): FoundKey => {
    const keys = fresh()
    return keys === undefined ? { kind: 'unavailable' } : pick(keys, wanted)
  }
  return {
    find(wanted) {
      const found = look(wanted)
      const mayFetch = fetching !== undefined || performance.now() >= nextFetch
      if (found.kind !== 'found') return mayFetch ? refresh().then(() => look(wanted)) : found
      if (age() > MAX_AGE_MS && mayFetch) void refresh()
      return found
    },
  }
}

async function fetchKeys({ url, fetch: send }: RemoteOptions): Promise<readonly PublicKey[]> {
  // A redirect would take the keys from another place.
  const response = await send(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  const bytes = response.ok ? await readBytes(response.body, MAX_BYTES) : undefined
  if (bytes === undefined) {
    await response.body?.cancel()
    throw new Error(response.ok ? 'the key set is too large' : `it was answered with ${response.status}`)
  }
  const { value } = parseJson(decodeUtf8(bytes) ?? '')
  const keys = usableKeys(value)
  if (keys.length === 0) throw new Error(`the key set ${faultOfKeys(value)}`)
  return keys
}
