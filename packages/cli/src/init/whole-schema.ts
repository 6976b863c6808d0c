import { type JsonMap, listOf, mapOf, type OpenApi } from './openapi.ts'

/** A schema with the parts of its `allOf` merged in. Only further patterns stay in `allOf`: a schema has one of its own. */
export function wholeSchema(given: unknown, api: Pick<OpenApi, 'follow'>): JsonMap {
  const parts = partsOf(given, api, new Set())
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
export function patternsOf(schema: JsonMap): string[] {
  return [schema, ...listOf(schema['allOf'])]
    .map((part) => mapOf(part)['pattern'])
    .filter((pattern) => typeof pattern === 'string')
}

/** A whole schema with these patterns in place of its own. */
export function withPatterns(schema: JsonMap, patterns: readonly string[]): JsonMap {
  const { pattern: _, allOf: __, ...rest } = schema
  const [first, ...more] = new Set(patterns)
  return {
    ...rest,
    ...(first !== undefined && { pattern: first }),
    ...(more.length > 0 && { allOf: more.map((pattern) => ({ pattern })) }),
  }
}

/** The schema without its `allOf`, then those in it. A part that contains itself is read once. */
function partsOf(given: unknown, api: Pick<OpenApi, 'follow'>, seen: Set<unknown>): JsonMap[] {
  const schema = api.follow(given)
  if (seen.has(schema)) return []
  seen.add(schema)
  if (!Object.hasOwn(schema, 'allOf')) return [schema]
  const { allOf, ...own } = schema
  return [own, ...listOf(allOf).flatMap((part) => partsOf(part, api, seen))]
}

type Merge = (one: unknown, other: unknown) => unknown

const larger: Merge = (one, other) => Math.max(Number(one), Number(other))
const smaller: Merge = (one, other) => Math.min(Number(one), Number(other))

// The first part decides about all other keywords.
const merges = new Map<string, Merge>([
  ['properties', (one, other) => Object.assign(Object.create(null), mapOf(other), mapOf(one))],
  ['required', (one, other) => [...listOf(one), ...listOf(other)]],
  ['enum', (one, other) => listOf(one).filter((word) => listOf(other).includes(word))],
  ['minLength', larger],
  ['minItems', larger],
  ['minimum', larger],
  ['maxLength', smaller],
  ['maxItems', smaller],
  ['maximum', smaller],
])
