import { outcomes, parseJson } from '@agentic-rest/profile'
import { LRUCache } from 'lru-cache'
import { checkHttpUrl } from '../../config/schema/address-checks.ts'
import { causeOf } from '../../errors.ts'
import type { Log } from '../../log.ts'
import type { HttpClient } from '../../upstream/http-client.ts'
import {
  type KeyLookup,
  type KeyQuery,
  type KeySet,
  type KeySource,
  parseKeySet,
  type Waiter,
} from './key-set.ts'

/** The times of fetches and the maximum age of keys. */
export const keySetPolicy = {
  /** Age at which keys are fetched again: the longest time that a removed key is still accepted. */
  refreshMs: 300_000,
  /** How long the last keys stay in use while the issuer does not answer. */
  staleMs: 86_400_000,
  /** The shortest time between two fetches for unknown keys. */
  cooldownMs: 30_000,
  /** The pause after the first failure; it doubles with each further one up to `longestRetryMs`. */
  firstRetryMs: 1_000,
  longestRetryMs: 30_000,
  /** How long a missing `kid` causes no further fetch. */
  missingKidMs: 60_000,
  maxMissingKids: 1_000,
  /** Requests that wait for a fetch at a time: tokens with unknown keys must not fill the gateway. */
  maxWaiting: 32,
  /** The same for the first fetch, for which every token of the issuer waits. */
  maxWaitingFirst: 1_024,
} as const

/** The issuer, and how to load its keys. */
export interface RemoteKeySetOptions {
  readonly issuer: string
  /** Loads the JWK Set document, or rejects. */
  readonly load: () => Promise<Buffer>
  readonly log: Log
}

/** The address of the keys of an issuer; without `jwksUri` the discovery document names it. */
export interface KeyLocation {
  readonly issuer: string
  readonly jwksUri: string | undefined
}

// One time limit for discovery and keys together: a request may be waiting.
const FETCH_TIMEOUT_MS = 5_000
const MAX_DOCUMENT_BYTES = 65_536

interface State {
  keys: KeySet | undefined
  document: Buffer | undefined
  version: number
  fetchedAt: number
  failures: number
  /** Why the last fetch failed. */
  cause: string | undefined
  /** Time of the last fetch for an unknown key. */
  askedAt: number | undefined
  flight: Promise<void> | undefined
  /** Requests that wait for the flight. */
  waiting: number
  timer: NodeJS.Timeout | undefined
  closed: boolean
}

const UNKNOWN: KeyLookup = { type: 'unknown' }
const UNAVAILABLE: KeyLookup = { type: 'unavailable' }

/**
 * Keeps the keys of an issuer. A timer fetches them; a request does so only for an unknown key. So no request waits
 * for a slow issuer, and none fails during an outage shorter than a day (hardening F11).
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
  const findAfterRefetch = (query: KeyQuery, waiter?: Waiter): KeyLookup | Promise<KeyLookup> => {
    if (state.flight !== undefined) return findAfter(state.flight, query, waiter)
    if (state.failures > 0) return UNAVAILABLE
    if (isWithin(state.askedAt, keySetPolicy.cooldownMs)) return UNKNOWN
    if (query.kid !== undefined && isWithin(missedAt.get(query.kid), keySetPolicy.missingKidMs))
      return UNKNOWN
    state.askedAt = performance.now()
    return findAfter(refresh(), query, waiter)
  }
  const findAfter = async (flight: Promise<void>, query: KeyQuery, waiter?: Waiter): Promise<KeyLookup> => {
    const most = isFirstFetch(state) ? keySetPolicy.maxWaitingFirst : keySetPolicy.maxWaiting
    if (state.waiting >= most) return UNAVAILABLE
    state.waiting += 1
    // Nobody has checked these tokens yet. As requests in flight they would take the room of other issuers' callers.
    waiter?.started()
    await flight
    waiter?.ended()
    state.waiting -= 1
    const found = findNow(state, query)
    if (found.type === 'unknown' && query.kid !== undefined) missedAt.set(query.kid, performance.now())
    return found
  }
  void refresh()
  return {
    version: () => (currentKeys(state) === undefined ? undefined : state.version),
    find(query, waiter) {
      const found = findNow(state, query)
      return found.type === 'found' ? found : findAfterRefetch(query, waiter)
    },
    findAfterRefetch,
    cause: () => state.cause,
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
    cause: undefined,
    askedAt: undefined,
    flight: undefined,
    waiting: 0,
    timer: undefined,
    closed: false,
  }
}

/** Whether no fetch has ended yet: all tokens of the issuer wait for the first one. */
function isFirstFetch({ version, failures }: State): boolean {
  return version === 0 && failures === 0
}

function currentKeys({ keys, fetchedAt }: State): KeySet | undefined {
  return performance.now() - fetchedAt <= keySetPolicy.staleMs ? keys : undefined
}

function findNow(state: State, query: KeyQuery): KeyLookup {
  const keys = currentKeys(state)?.select(query)
  if (keys !== undefined && keys.length > 0) return { type: 'found', keys, version: state.version }
  // During an outage an unknown key may be a new one, so it is not reported as unknown.
  return keys === undefined || state.failures > 0 ? UNAVAILABLE : UNKNOWN
}

/** Monotonic time: setting the clock must neither delay a fetch nor allow one too early. */
function isWithin(since: number | undefined, milliseconds: number): boolean {
  return since !== undefined && performance.now() - since < milliseconds
}

async function fetchKeys(state: State, { issuer, load, log }: RemoteKeySetOptions): Promise<void> {
  try {
    acceptDocument(state, await load())
  } catch (error) {
    state.failures += 1
    state.cause = causeOf(error) ?? 'INVALID_ANSWER'
    if (!state.closed)
      log.warn('the keys of an issuer cannot be fetched', { issuer, reason: reasonOf(error) })
    return
  }
  if (state.failures > 0) log.info('the keys of an issuer can be fetched again', { issuer })
  state.failures = 0
  state.cause = undefined
  warnOfExposedKeys(state, { issuer, log })
}

function acceptDocument(state: State, document: Buffer): void {
  if (state.keys === undefined || state.document?.equals(document) !== true) {
    state.keys = parseKeySet(document)
    state.document = document
    // Cached tokens of the former version are verified again.
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
  // This timer must not keep the process alive.
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

/** Fetches the JWK Set document of an issuer within five seconds; rejects on failure. */
export async function fetchKeyDocument(http: HttpClient, location: KeyLocation): Promise<Buffer> {
  const deadline = performance.now() + FETCH_TIMEOUT_MS
  const jwksUri = location.jwksUri ?? (await discoverJwksUri(http, location.issuer))
  return getDocument(http, jwksUri, Math.max(1, Math.ceil(deadline - performance.now())))
}

/** OpenID Connect Discovery 1.0, section 4. Never cached: the address in the document may change. */
async function discoverJwksUri(http: HttpClient, issuer: string): Promise<string> {
  const document = await getDocument(http, discoveryUrl(issuer), FETCH_TIMEOUT_MS)
  return readJwksUri(document, issuer)
}

/** The address of the discovery document; a slash at the end of the issuer is not doubled (section 4.1). */
export function discoveryUrl(issuer: string): string {
  return `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
}

/** Reads the address of the keys from a discovery document; throws when the document is of another issuer. */
export function readJwksUri(document: Buffer, issuer: string): string {
  const { issuer: named, jwks_uri: jwksUri } = parseDocument(document)
  // Section 4.3: without exactly this name, the keys belong to another issuer.
  if (named !== issuer) throw new Error('the discovery document is of another issuer')
  if (typeof jwksUri !== 'string' || checkHttpUrl(jwksUri) !== undefined)
    throw new Error('the discovery document names no http or https address of keys')
  if (isSecure(issuer) && !isSecure(jwksUri))
    throw new Error('the discovery document of an https issuer names an http address of keys')
  return jwksUri
}

function isSecure(address: string): boolean {
  return new URL(address).protocol === 'https:'
}

function parseDocument(document: Buffer): { issuer?: unknown; jwks_uri?: unknown } {
  const { value, fault } = parseJson(document.toString('utf8'))
  if (fault) throw new Error('the discovery document is not JSON')
  return Object(value)
}

/** A redirect is a failure: its address is not configured. */
async function getDocument(http: HttpClient, url: string, timeoutMs: number): Promise<Buffer> {
  const { status, body } = await http.get(url, { timeoutMs, maxBytes: MAX_DOCUMENT_BYTES })
  if (status !== outcomes.success.status) throw new Error(`the answer has status ${status}`)
  return body
}
