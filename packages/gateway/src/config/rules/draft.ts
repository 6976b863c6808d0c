import type { FaultKind, Path } from '../faults.ts'

/** The file's values before anyone has vouched for them: rules across keys run even where single keys are wrong. */
export interface Draft {
  readonly value: unknown
  /** The line of the value at a path. */
  readonly lineOf: (path: Path) => number
  /** The value in quotes with a leading blank, or nothing when it must not be shown. */
  readonly show: (path: Path) => string
}

/** What a rule found. */
export interface RuleFinding {
  readonly path: Path
  readonly message: string
  readonly kind?: FaultKind
  /** The fault is that a key is absent. */
  readonly absence?: boolean
}

/** Judges how keys go together. */
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

/** The text at a path, or undefined where there is none or something else. */
export const textAt = (value: unknown, path: Path): string | undefined => {
  const found = valueAt(value, path)
  return typeof found === 'string' ? found : undefined
}

/** The paths of the entries of a list; none where there is no list. */
export const entriesAt = (value: unknown, path: Path): readonly Path[] => {
  const found = valueAt(value, path)
  return Array.isArray(found) ? found.map((_, index) => [...path, index]) : []
}

/** Whether something is written at a path, right or wrong. */
export const isPresent = (value: unknown, path: Path): boolean => valueAt(value, path) !== undefined

/** Finds entries that share an identity; entries without one (undefined) are left alone. */
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

/** Complains unless exactly one of the keys is there. */
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

/** Whether a value is a map. */
export const isMap = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
