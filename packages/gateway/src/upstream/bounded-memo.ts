const MAX_ENTRIES = 1000
const MAX_TEXT_LENGTH = 256

/**
 * Remembers what a pure function said of short texts. They come from outside, so there is a bound (F15): once it is
 * reached, new ones are computed each time.
 */
export function memoized<Value>(compute: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>()
  return (text) => {
    const value = known.get(text)
    if (value !== undefined) return value
    const computed = compute(text)
    if (known.size < MAX_ENTRIES && text.length <= MAX_TEXT_LENGTH) known.set(text, computed)
    return computed
  }
}
