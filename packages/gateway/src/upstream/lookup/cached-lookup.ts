import { LRUCache } from 'lru-cache'

/** A question whose answers are kept for a while. */
export interface CachedLookup<Query, Answer extends NonNullable<unknown>> {
  /** The kept answer at once, else a promise that never rejects; `undefined` means that there is no answer. */
  find(query: Query): Answer | Promise<Answer | undefined>
}

/** What is asked, how, and how long an answer holds. */
export interface CachedLookupOptions<Query, Answer extends NonNullable<unknown>> {
  /** Different for different queries: two callers that share a key share an answer. */
  readonly keyOf: (query: Query) => string
  /** Asks; never rejects. `undefined` is a failure: it is not kept, so the next request asks again. */
  readonly ask: (query: Query) => Promise<Answer | undefined>
  /** How long an answer is kept; 0 keeps it for those who already wait and nobody else. */
  readonly keepMs: (answer: Answer) => number
  /** Above this many answers the one that was not used for longest goes. */
  readonly maxEntries: number
}

/** Makes a cache in front of `ask` that asks once per key however many wait for the answer. */
export function createCachedLookup<Query, Answer extends NonNullable<unknown>>(
  options: CachedLookupOptions<Query, Answer>,
): CachedLookup<Query, Answer> {
  const { keyOf, ask, keepMs, maxEntries } = options
  // Monotonic: a clock that is set back does not prolong an answer. A `ttlResolution` would cost a timer per millisecond.
  const time = { ttl: 1, ttlResolution: 0, perf: performance }
  const kept = new LRUCache<string, Answer>({ max: maxEntries, ...time })
  const underway = new Map<string, Promise<Answer | undefined>>()

  const settle = (key: string, answer: Answer | undefined): Answer | undefined => {
    underway.delete(key)
    const ttl = answer === undefined ? 0 : keepMs(answer)
    // To the cache a time of 0 means for ever; here it means not at all.
    if (answer !== undefined && ttl > 0) kept.set(key, answer, { ttl })
    return answer
  }

  return {
    find: (query) => {
      const key = keyOf(query)
      const known = kept.get(key) ?? underway.get(key)
      if (known !== undefined) return known
      // The call belongs to nobody: whoever leaves does not take it away from the others who wait.
      const answer = ask(query).then((settled) => settle(key, settled))
      underway.set(key, answer)
      return answer
    },
  }
}
