import { familyOf } from '../shell/outcome-family.ts'

/** The fields of a search, as they are called in the address. */
export const searchFields = ['outcome', 'code', 'route', 'tenant', 'actor', 'via', 'slower', 'text'] as const

/** One of the fields. */
export type SearchField = (typeof searchFields)[number]

/** A search for requests or exchanges. An empty text means all. */
export type Search = Readonly<Record<SearchField, string>>

/** The value of a field, or those of the requests of an exchange. */
export type Values = string | readonly string[]

/** A request or an exchange, as far as a search looks at it. */
export interface Searchable {
  readonly outcome: string
  /** The family of the state, if it is not that of the outcome. */
  readonly family?: string
  /** The code of a refusal; empty without one. */
  readonly code: Values
  readonly route: Values
  readonly tenant: Values
  readonly actor: Values
  /** MCP, its tool and its client; none for REST. */
  readonly via: Values
  /** `null` while it is unknown. */
  readonly durationMs: number | null
}

/** The search that everything matches. */
export const everything: Search = {
  outcome: '',
  code: '',
  route: '',
  tenant: '',
  actor: '',
  via: '',
  slower: '',
  text: '',
}

/** Reads a search from the query of an address; other parameters are ignored. */
export function readSearch(query: string): Search {
  const params = new URLSearchParams(query)
  const values = searchFields.map((field) => [field, params.get(field) ?? ''] as const)
  return { ...everything, ...Object.fromEntries(values) }
}

/** Writes a search into the query of an address; other parameters stay. */
export function writeSearch(query: string, search: Search): string {
  const params = new URLSearchParams(query)
  for (const field of searchFields) {
    if (search[field] === '') params.delete(field)
    else params.set(field, search[field])
  }
  return params.toString()
}

/** Whether everything matches. */
export function isEverything(search: Search): boolean {
  return searchFields.every((field) => search[field].trim() === '')
}

const DURATION = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|min)?$/i
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000 }

/** The milliseconds of `250`, `250 ms`, `1.5 s` or `2 min`; NaN for other texts. */
export function readDuration(text: string): number {
  const [, value = '', unit = 'ms'] = DURATION.exec(text.trim()) ?? []
  return value === '' ? Number.NaN : Number(value) * (UNIT_MS[unit.toLowerCase()] ?? 1)
}

/** The message for a duration that cannot be read; `undefined` for a good or empty one. */
export function durationFault({ slower }: Search): string | undefined {
  if (slower.trim() === '' || !Number.isNaN(readDuration(slower))) return undefined
  return 'Write a time such as 250 ms or 1.5 s.'
}

/** The items that match a search, the same list if all do. `wordsOf` gives the text of an item. */
export function findMatches<Item extends Searchable>(
  items: readonly Item[],
  search: Search,
  wordsOf: (item: Item) => string,
): readonly Item[] {
  if (isEverything(search)) return items
  const slowerThan = readDuration(search.slower)
  const terms = search.text.toLowerCase().split(/\s+/).filter(Boolean)
  return items.filter((item) => {
    const { outcome, family = familyOf(outcome) } = item
    if (!isWanted(search.outcome, [outcome, family])) return false
    if (!exactFields.every((field) => isWanted(search[field], item[field]))) return false
    // A duration that cannot be read filters nothing: its field shows the fault.
    if (!Number.isNaN(slowerThan) && !((item.durationMs ?? 0) > slowerThan)) return false
    if (terms.length === 0) return true
    const words = wordsOf(item).toLowerCase()
    return terms.every((term) => words.includes(term))
  })
}

const exactFields = ['code', 'route', 'tenant', 'actor', 'via'] as const

function isWanted(wanted: string, value: Values): boolean {
  return wanted === '' || (typeof value === 'string' ? value === wanted : value.includes(wanted))
}

/** A field whose values are offered as a list. */
export type ListedField = 'outcome' | (typeof exactFields)[number]

// A browser draws a list of thousands of actors slowly, and nobody reads it.
const MOST_VALUES = 100

/** The most frequent values of a field, sorted, for a list; `more` is the number of those left out. */
export function valuesOf(
  items: readonly Searchable[],
  field: ListedField,
): { readonly values: readonly string[]; readonly more: number } {
  const counts = new Map<string, number>()
  for (const { [field]: given } of items)
    for (const value of typeof given === 'string' ? [given] : given)
      if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
  const values = [...counts].toSorted(([, first], [, second]) => second - first).map(([value]) => value)
  return {
    values: values.slice(0, MOST_VALUES).toSorted(),
    more: Math.max(0, values.length - MOST_VALUES),
  }
}
