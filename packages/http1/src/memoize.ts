const MAX_ENTRIES = 1000
const MAX_TEXT_LENGTH = 256

/**
 * Caches the results of a pure function of short texts. The texts come from outside, so the cache is bounded (F15): once
 * it is full, new texts are computed each time.
 */
export function memoize<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const value = known.get(text)
    if (value !== undefined) return value
    if (known.size >= MAX_ENTRIES || text.length > MAX_TEXT_LENGTH) return compute(text)
    const own = detached(text)
    const computed = compute(own)
    known.set(own, computed)
    return computed
  }
}

/** The same text apart from the one that it was cut from: V8 would keep a whole head, with its token, for a name in it. */
export function detached(text: string): string {
  const [own = ''] = Object.keys({ [text]: true })
  return own
}
