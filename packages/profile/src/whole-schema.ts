import { elementsOf, type JsonObject, membersOf } from './json-value.ts'

/** The references of a document. */
interface References {
  /** The target of one reference, which may be a reference with keywords beside it. */
  find(reference: string): unknown
}

/**
 * A schema with the parts of its `allOf` and its reference merged in: bounds become tighter, for other keywords the first
 * part decides. Only further patterns stay in `allOf`, because a schema has one of its own.
 */
export function wholeSchema(given: unknown, references: References): JsonObject {
  const parts = partsOf(given, references, new Set())
  const [only = {}] = parts
  if (parts.length < 2) return only
  const merged: Record<string, unknown> = Object.create(null)
  for (const [keyword, value] of parts.flatMap((part) => Object.entries(part))) {
    const merge = Object.hasOwn(merged, keyword) ? merges.get(keyword) : undefined
    if (merge !== undefined) merged[keyword] = merge(merged[keyword], value)
    else if (!Object.hasOwn(merged, keyword)) merged[keyword] = value
  }
  return withPatterns(merged, parts.flatMap(patternsOf))
}

/** The patterns of a whole schema. */
export function patternsOf(schema: JsonObject): string[] {
  return [schema, ...elementsOf(schema['allOf'])]
    .map((part) => membersOf(part)['pattern'])
    .filter((pattern) => typeof pattern === 'string')
}

/** A whole schema with these patterns in place of its own. */
export function withPatterns(schema: JsonObject, patterns: readonly string[]): JsonObject {
  const { pattern: _, allOf: __, ...rest } = schema
  const [first, ...more] = new Set(patterns)
  return {
    ...rest,
    ...(first !== undefined && { pattern: first }),
    ...(more.length > 0 && { allOf: more.map((pattern) => ({ pattern })) }),
  }
}

// A schema of a document may be made of any number of parts.
const MOST_PARTS = 512

/** The schema's own keywords, then the parts that it refers to and those of its `allOf`; each once, in case of a circle. */
function partsOf(given: unknown, references: References, seen: Set<unknown>): JsonObject[] {
  if (seen.has(given) || seen.size === MOST_PARTS) return []
  seen.add(given)
  const schema = membersOf(given)
  const { $ref, allOf, ...own } = schema
  const target = typeof $ref === 'string' ? [references.find($ref)] : []
  const others = [...target, ...elementsOf(allOf)].flatMap((part) => partsOf(part, references, seen))
  if (target.length === 0 && allOf === undefined) return [schema]
  return Object.keys(own).length === 0 ? others : [own, ...others]
}

type Merge = (one: unknown, other: unknown) => unknown

const larger: Merge = (one, other) => Math.max(Number(one), Number(other))
const smaller: Merge = (one, other) => Math.min(Number(one), Number(other))

// The first part decides about all other keywords.
const merges = new Map<string, Merge>([
  ['properties', (one, other) => Object.assign(Object.create(null), one, membersOf(other), one)],
  ['required', (one, other) => [...elementsOf(one), ...elementsOf(other)]],
  ['enum', (one, other) => elementsOf(one).filter((word) => elementsOf(other).includes(word))],
  ['minLength', larger],
  ['minItems', larger],
  ['minimum', larger],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['maximum', smaller],
])
