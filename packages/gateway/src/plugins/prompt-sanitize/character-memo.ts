const CODE_POINTS = 0x110000
const UNKNOWN = 0
const UNCHANGED = 1

/** What becomes of a character; undefined when it stays as it is. */
export type CharacterChange<Change> = (codePoint: number) => Change | undefined

/**
 * Remembers what becomes of characters. Most stay as they are, and for those a byte is enough: a caller who sends every
 * character there is must not fill the memory with them.
 */
export function rememberChanges<Change>(change: CharacterChange<Change>): CharacterChange<Change> {
  const states = new Uint8Array(CODE_POINTS)
  const changes = new Map<number, Change>()
  return function remembered(codePoint) {
    if (states[codePoint] === UNCHANGED) return undefined
    const seen = states[codePoint] === UNKNOWN ? undefined : changes.get(codePoint)
    if (seen !== undefined) return seen
    const made = change(codePoint)
    if (made !== undefined) changes.set(codePoint, made)
    states[codePoint] = made === undefined ? UNCHANGED : UNCHANGED + 1
    return made
  }
}
