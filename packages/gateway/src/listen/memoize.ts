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
    const computed = compute(text)
    if (known.size < MAX_ENTRIES && text.length <= MAX_TEXT_LENGTH) known.set(text, computed)
    return computed
  }
}
