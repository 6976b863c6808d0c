import { LRUCache } from 'lru-cache'
import type { WebhookOptions } from '../config/config-schema.ts'
import { hasDotSegment } from '../config/schema/address-checks.ts'
import { causeOf, InitialisationError } from '../errors.ts'
import type { Log } from '../log.ts'
import { type HttpAnswer, type HttpClient, HttpLookupError } from './http-client.ts'

/** The query of a webhook: a value for each placeholder of its URL. */
export type WebhookQuery<Name extends string> = Readonly<Record<Name, string>>

/** A webhook with cached answers. */
export interface WebhookLookup<Name extends string, Answer extends NonNullable<unknown>>
  extends CachedLookup<WebhookQuery<Name>, Answer> {
  /** The fault of the last answer, if it had one. */
  degraded(): string | undefined
  /** The same as one word. */
  cause(): string | undefined
}

/** The meaning of one webhook's answers. */
export interface WebhookContract<Name extends string, Answer extends NonNullable<unknown>> {
  /** Its name in the log: "the tenant directory". */
  readonly title: string
  /** All of them make the key of a cached answer, also those that the URL leaves out. */
  readonly placeholders: readonly Name[]
  /** Placeholders that the URL may leave out. */
  readonly optional?: readonly Name[]
  /** Reads an answer; `undefined` for one outside the contract. */
  readonly read: (answer: HttpAnswer) => Answer | undefined
  readonly isNegative: (answer: Answer) => boolean
  /** The answer for a value that a URL cannot carry; the webhook is not called. */
  readonly unaskable: Answer
}

/** The parts of the gateway that a lookup uses. */
export interface LookupContext {
  readonly http: HttpClient
  readonly log: Log
}

/** Makes the lookup of the tenant webhook and of the licence webhook (decisions 19 and 20). */
export function createWebhookLookup<Name extends string, Answer extends NonNullable<unknown>>(
  options: WebhookOptions,
  contract: WebhookContract<Name, Answer>,
  context: LookupContext,
): WebhookLookup<Name, Answer> {
  refuseUnusableUrl(options.url, contract)
  const health = createHealth(contract.title, context.log)
  const { timeout_ms: timeoutMs, headers } = options
  const ask = async (query: WebhookQuery<Name>): Promise<Answer | undefined> => {
    const url = fillUrl(options.url, query)
    if (url === undefined) return contract.unaskable
    try {
      const answer = contract.read(await context.http.get(url, { timeoutMs, headers, repeatLost: true }))
      health.note(answer === undefined ? 'invalid_answer' : undefined)
      return answer
    } catch (error) {
      health.note(error instanceof HttpLookupError ? error.reason : 'failed', error)
      return undefined
    }
  }
  const lookup = createCachedLookup({
    keyOf: (query) => keyOf(contract.placeholders, query),
    ask,
    keepMs: (answer) => keptSeconds(options, contract.isNegative(answer)) * 1000,
    maxEntries: options.cache_max_entries,
  })
  return { find: lookup.find, degraded: health.degraded, cause: health.cause }
}

/** The lengths keep ("ab", "c") and ("a", "bc") apart (hardening F16). */
function keyOf<Name extends string>(names: readonly Name[], query: WebhookQuery<Name>): string {
  let key = ''
  for (const name of names) key += `${query[name].length}:${query[name]}`
  return key
}

function keptSeconds(options: WebhookOptions, negative: boolean): number {
  return negative ? options.negative_ttl_seconds : options.cache_ttl_seconds
}

/** A URL without one of the values would give all callers the answer of the first. */
function refuseUnusableUrl(
  template: string,
  { placeholders: names, optional = [] }: { placeholders: readonly string[]; optional?: readonly string[] },
): void {
  const missing = names.find((name) => !optional.includes(name) && !template.includes(`{${name}}`))
  if (missing !== undefined) throw new InitialisationError(`the webhook URL lacks {${missing}}`)
  const filled = fillUrl(template, Object.fromEntries(names.map((name) => [name, 'x'])))
  if (filled === undefined) throw new InitialisationError('the webhook URL has a dot segment')
  if (!URL.canParse(filled)) throw new InitialisationError('the webhook URL is not a URL')
}

/** The health of a server that is asked. */
export interface Health {
  /** Notes the fault of an answer, or none. */
  note(reason: string | undefined, error?: unknown): void
  /** The fault of the last answer, if it had one. */
  degraded(): string | undefined
  /** The same as one word: a code such as `ECONNREFUSED`, or `INVALID_ANSWER`. */
  cause(): string | undefined
}

/** Keeps the result of the last call and logs changes only: an outage is not one line per request. */
export function createHealth(title: string, log: Log): Health {
  let failure: string | undefined
  let cause: string | undefined
  return {
    note: (reason, error) => {
      cause = reason && (causeOf(error) ?? reason.toUpperCase())
      if (reason === failure) return
      failure = reason
      if (reason === undefined) log.info(`${title} answers again`)
      else log.warn(`${title} gives no usable answer`, { reason, error })
    },
    degraded: () => (failure === undefined ? undefined : `${title} gives no usable answer: ${failure}`),
    cause: () => cause,
  }
}

/** The URL with every `{name}` replaced; `undefined` for a value that a URL cannot carry unchanged. */
export function fillUrl(template: string, values: Readonly<Record<string, string>>): string | undefined {
  let url = template
  for (const [name, value] of Object.entries(values)) {
    const encoded = encodeValue(value)
    if (encoded === undefined) return undefined
    url = url.replaceAll(`{${name}}`, encoded)
  }
  // Encoding does not help: the URL standard resolves `%2e%2e` like `..`.
  return hasDotSegment(url) ? undefined : url
}

function encodeValue(value: string): string | undefined {
  // An empty value would ask for the collection. A lone surrogate has no UTF-8 form; its replacement by `toWellFormed`
  // would give two principals one name.
  if (value === '' || !value.isWellFormed()) return undefined
  return encodeURIComponent(value).replace(/[!'()*]/g, percentEncode)
}

/** RFC 3986 reserves these too; `encodeURIComponent` leaves them unchanged. */
function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/** A lookup with cached answers. */
export interface CachedLookup<Query, Answer extends NonNullable<unknown>> {
  /** Returns a cached answer at once, otherwise a promise that never rejects; `undefined` means no answer. */
  find(query: Query): Answer | Promise<Answer | undefined>
}

/** The call behind a cache, and how long its answers are kept. */
export interface CachedLookupOptions<Query, Answer extends NonNullable<unknown>> {
  /** Different for different queries: callers with the same key share an answer. */
  readonly keyOf: (query: Query) => string
  /** Makes the call; never rejects. `undefined` is a failure: it is not cached, the next request calls again. */
  readonly ask: (query: Query) => Promise<Answer | undefined>
  /** How long an answer is kept; with 0 only the callers that already wait get it. */
  readonly keepMs: (answer: Answer) => number
  /** Most cached answers; the least recently used one is dropped first. */
  readonly maxEntries: number
}

/** Makes a cache in front of `ask`, with one call per key for all its concurrent callers. */
export function createCachedLookup<Query, Answer extends NonNullable<unknown>>(
  options: CachedLookupOptions<Query, Answer>,
): CachedLookup<Query, Answer> {
  const { keyOf, ask, keepMs, maxEntries } = options
  // A monotonic clock: setting the system clock back keeps no answer longer. A `ttlResolution` would cost a timer per millisecond.
  const time = { ttl: 1, ttlResolution: 0, perf: performance }
  const kept = new LRUCache<string, Answer>({ max: maxEntries, ...time })
  const underway = new Map<string, Promise<Answer | undefined>>()

  const settle = (key: string, answer: Answer | undefined): Answer | undefined => {
    underway.delete(key)
    const ttl = answer === undefined ? 0 : keepMs(answer)
    // In the cache a ttl of 0 means for ever; here it means not at all.
    if (answer !== undefined && ttl > 0) kept.set(key, answer, { ttl })
    return answer
  }

  return {
    find: (query) => {
      const key = keyOf(query)
      const known = kept.get(key) ?? underway.get(key)
      if (known !== undefined) return known
      // The call has no owner: a caller that leaves does not cancel it for the others.
      const answer = ask(query).then((settled) => settle(key, settled))
      underway.set(key, answer)
      return answer
    },
  }
}
