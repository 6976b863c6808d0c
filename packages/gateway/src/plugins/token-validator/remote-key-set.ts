import { LRUCache } from 'lru-cache'
import type { Log } from '../../log.ts'
import { type KeySet, parseKeySet } from './key-set.ts'
import type { KeyLookup, KeyQuery, KeySource } from './key-source.ts'

/** How often an issuer is asked for its keys and how long its last answer is good for. */
export const keySetPolicy = {
  /** Age at which keys are fetched again; a removed key is refused at the latest after this. */
  refreshMs: 300_000,
  /** How long the last keys serve while the issuer does not answer. */
  staleMs: 86_400_000,
  /** At most one fetch in this time because of keys that tokens name and nobody knows. */
  cooldownMs: 30_000,
  /** The first pause after a failure; it doubles up to the longest. */
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  /** How long a key that the issuer was asked for in vain is not asked for again. */
  missingKidMs: 60_000,
  maxMissingKids: 1_000,
} as const

/** Whose keys are kept and how they are got. */
export interface RemoteKeySetOptions {
  readonly issuer: string
  /** Gets the JWK Set document, or rejects. */
  readonly load: () => Promise<Buffer>
  readonly log: Log
}

interface State {
  keys: KeySet | undefined
  document: Buffer | undefined
  version: number
  fetchedAt: number
  failures: number
  /** When the issuer was last asked for a key that nobody knew. */
  askedAt: number | undefined
  flight: Promise<void> | undefined
  timer: NodeJS.Timeout | undefined
  closed: boolean
}

const UNKNOWN: KeyLookup = { type: 'unknown' }
const UNAVAILABLE: KeyLookup = { type: 'unavailable' }

/**
 * Keeps the keys of an issuer. They are fetched now and then by age, never by a request, except for a key that nobody
 * knows yet: so neither a slow issuer nor an outage shorter than a day is felt (hardening F11).
 */
export function createRemoteKeySet(options: RemoteKeySetOptions): KeySource {
  const state = initialState()
  const missedAt = new LRUCache<string, number>({ max: keySetPolicy.maxMissingKids })
  const refresh = (): Promise<void> => {
    state.flight ??= fetchKeys(state, options).finally(() => {
      state.flight = undefined
      scheduleRefresh(state, refresh)
    })
    return state.flight
  }
  const findAfterRefetch = (query: KeyQuery): KeyLookup | Promise<KeyLookup> => {
    if (state.flight !== undefined) return findAfter(state.flight, query)
    if (state.failures > 0) return UNAVAILABLE
    if (isWithin(state.askedAt, keySetPolicy.cooldownMs)) return UNKNOWN
    if (query.kid !== undefined && isWithin(missedAt.get(query.kid), keySetPolicy.missingKidMs))
      return UNKNOWN
    state.askedAt = performance.now()
    return findAfter(refresh(), query)
  }
  const findAfter = async (flight: Promise<void>, query: KeyQuery): Promise<KeyLookup> => {
    await flight
    const found = findNow(state, query)
    if (found.type === 'unknown' && query.kid !== undefined) missedAt.set(query.kid, performance.now())
    return found
  }
  void refresh()
  return {
    version: () => (currentKeys(state) === undefined ? undefined : state.version),
    find(query) {
      const found = findNow(state, query)
      return found.type === 'found' ? found : findAfterRefetch(query)
    },
    findAfterRefetch,
    isFresh: () => state.keys !== undefined && state.failures === 0,
    warm: refresh,
    close: () => closeState(state),
  }
}

function initialState(): State {
  return {
    keys: undefined,
    document: undefined,
    version: 0,
    fetchedAt: 0,
    failures: 0,
    askedAt: undefined,
    flight: undefined,
    timer: undefined,
    closed: false,
  }
}

function currentKeys({ keys, fetchedAt }: State): KeySet | undefined {
  return performance.now() - fetchedAt <= keySetPolicy.staleMs ? keys : undefined
}

function findNow(state: State, query: KeyQuery): KeyLookup {
  const keys = currentKeys(state)?.select(query)
  if (keys !== undefined && keys.length > 0) return { type: 'found', keys, version: state.version }
  // While the issuer does not answer, nobody can say that a key does not exist: it may be a new one.
  return keys === undefined || state.failures > 0 ? UNAVAILABLE : UNKNOWN
}

/** Monotonic time: a clock that is set must neither hold a fetch back nor let one through. */
function isWithin(since: number | undefined, milliseconds: number): boolean {
  return since !== undefined && performance.now() - since < milliseconds
}

async function fetchKeys(state: State, { issuer, load, log }: RemoteKeySetOptions): Promise<void> {
  try {
    acceptDocument(state, await load())
  } catch (error) {
    state.failures += 1
    if (!state.closed)
      log.warn('the keys of an issuer cannot be fetched', { issuer, reason: reasonOf(error) })
    return
  }
  if (state.failures > 0) log.info('the keys of an issuer can be fetched again', { issuer })
  state.failures = 0
  warnOfExposedKeys(state, { issuer, log })
}

function acceptDocument(state: State, document: Buffer): void {
  if (state.keys === undefined || state.document?.equals(document) !== true) {
    state.keys = parseKeySet(document)
    state.document = document
    // Tokens verified with the former keys are verified again.
    state.version += 1
  }
  state.fetchedAt = performance.now()
}

function warnOfExposedKeys(
  { keys }: State,
  { issuer, log }: Pick<RemoteKeySetOptions, 'issuer' | 'log'>,
): void {
  const exposedKeys = keys?.exposedKeys ?? 0
  if (exposedKeys > 0) log.warn('an issuer publishes secret keys, which are ignored', { issuer, exposedKeys })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown'
}

function scheduleRefresh(state: State, refresh: () => Promise<void>): void {
  clearTimeout(state.timer)
  if (state.closed) return
  state.timer = setTimeout(() => void refresh(), pauseAfter(state.failures))
  // A timer for keys is no reason to stay alive.
  state.timer.unref()
}

function pauseAfter(failures: number): number {
  if (failures === 0) return keySetPolicy.refreshMs
  return Math.min(keySetPolicy.firstRetryMs * 2 ** (failures - 1), keySetPolicy.longestRetryMs)
}

function closeState(state: State): void {
  state.closed = true
  clearTimeout(state.timer)
}
