import { CannotSanitizeError } from './cannot-sanitize.ts'

/** A key that was redacted: `base` is what redaction made of it, `rename` puts a name in its place. */
export interface RedactedKey {
  readonly base: string
  rename(name: string): void
}

/**
 * Gives the redacted keys of one object names of their own, so that no value is lost: `[REDACTED:email]`,
 * `[REDACTED:email]#2`. `kept` are its other keys; `isStable` says that a name would not be redacted itself.
 */
export function makeKeysUnique(
  redacted: readonly RedactedKey[],
  kept: Iterable<string>,
  isStable: (name: string) => boolean,
): void {
  const taken = new Set(kept)
  const counts = new Map<string, number>()
  for (const { base, rename } of redacted) {
    let count = counts.get(base) ?? 1
    while (taken.has(numbered(base, count))) count++
    const name = numbered(base, count)
    if (count > 1 && !isStable(name))
      throw new CannotSanitizeError('a redacted key has no name that no rule matches')
    rename(name)
    taken.add(name)
    counts.set(base, count + 1)
  }
}

function numbered(base: string, count: number): string {
  return count === 1 ? base : `${base}#${count}`
}
