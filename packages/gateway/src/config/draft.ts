import type { FaultKind, Path } from './faults.ts'

/** The file's values before they are known to be valid: rules also run on a file with faulty keys. */
export interface Draft {
  readonly value: unknown
  /** The line of the value at a path. */
  readonly lineOf: (path: Path) => number
  /** The value in quotes with a leading blank; empty for a value that must not be shown. */
  readonly show: (path: Path) => string
}

/** A fault found by a rule. */
export interface RuleFinding {
  readonly path: Path
  readonly message: string
  readonly kind?: FaultKind
  /** The fault is a missing key. */
  readonly absence?: boolean
}

/** A check across several keys. */
export type Rule = (draft: Draft) => readonly RuleFinding[]

/** The value at a path of a draft, or undefined. */
export const valueAt = (value: unknown, path: Path): unknown => {
  let at = value
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined
    at = (at as Record<string | number, unknown>)[step]
  }
  return at
}

/** The text at a path; undefined for no value and for any other type. */
export const textAt = (value: unknown, path: Path): string | undefined => {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : undefined
}

/** The paths of a list's entries; empty without a list. */
export const entriesAt = (value: unknown, path: Path): readonly Path[] => {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found.map((_, index) => [...path, index]) : []
}

/** Whether a path has a value, valid or not. */
export const isPresent = (value: unknown, path: Path): boolean => valueAt(value, path) !== undefined

/** Whether a value is a map. */
export const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Finds entries with the same identity; entries without one (undefined) are skipped. */
export const findRepeats = <Entry>(
  entries: readonly Entry[],
  identify: (entry: Entry) => string | undefined,
): readonly { entry: Entry; first: Entry }[] => {
  const seen = new Map<string, Entry>()
  return entries.flatMap((entry) => {
    const identity = identify(entry)
    if (identity === undefined) return []
    const first = seen.get(identity)
    if (first !== undefined) return [{ entry, first }]
    seen.set(identity, entry)
    return []
  })
}

/** Refuses an entry that does not have exactly one of the keys. */
export const exactlyOneOf = (draft: Draft, entry: Path, keys: readonly string[]): readonly RuleFinding[] => {
  const present = keys.filter((key) => isPresent(draft.value, [...entry, key]))
  if (present.length === 1 || !isMap(valueAt(draft.value, entry))) return []
  const [first, ...others] = present
  if (first === undefined) return [{ path: entry, message: `needs one of ${keys.join(', ')}`, absence: true }]
  return others.map((key) => ({
    path: [...entry, key],
    message: `cannot stand beside ${first}, only one of ${keys.join(', ')} may`,
  }))
}

/** Makes a rule that refuses two list entries with the same text under `key`. */
export const uniqueTexts =
  (entriesOf: (draft: Draft) => readonly Path[], key: string, name: string): Rule =>
  (draft) => {
    const paths = entriesOf(draft).map((entry) => [...entry, key])
    return findRepeats(paths, (path) => textAt(draft.value, path)).map(({ entry, first }) => ({
      path: entry,
      message: `duplicate ${name}${draft.show(entry)}, first used on line ${draft.lineOf(first)}`,
    }))
  }
