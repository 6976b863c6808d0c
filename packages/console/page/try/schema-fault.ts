import { type Fields, fieldsOf, numberOrNull, textOf } from '../api/read-json.ts'
import {
  type Budget,
  choicesOf,
  newBudget,
  resolveSchema,
  typeName,
  typesOf,
  typeWord,
  variantsOf,
} from './schema-shape.ts'

/** A place in a document, and the path of the value below its field. */
interface Place {
  readonly document: Fields
  readonly path: string
  readonly depth: number
  readonly budget: Budget
}

const CHECKED_LEVELS = 8
// The pattern comes from the service. With repeated groups or many repetitions even a short text could freeze the page.
const MAX_PATTERN_LENGTH = 200
const MAX_REPETITIONS = 3
const REPETITION = /[*+]|\{\d+,/g
const REPEATED_GROUP = /\)[*+{]/

/** The first reason why a value does not fit a schema. It covers common keywords; the service decides. */
export function schemaFault(document: Fields, schema: unknown, value: unknown): string | undefined {
  return faultAt(
    { document, path: '', depth: 0, budget: newBudget() },
    resolveSchema(document, schema),
    value,
  )
}

function faultAt(place: Place, schema: Fields, value: unknown): string | undefined {
  place.budget.left -= 1
  if (place.depth > CHECKED_LEVELS || place.budget.left < 0) return undefined
  return (
    listFault(place, schema, value) ??
    typeFault(place, schema, value) ??
    variantFault(place, schema, value) ??
    textFault(place, schema, value) ??
    numberFault(place, schema, value) ??
    itemsFault(place, schema, value) ??
    membersFault(place, schema, value)
  )
}

function say({ path }: Place, rest: string): string {
  return `${path === '' ? 'This' : path} ${rest}`
}

function listFault(place: Place, schema: Fields, value: unknown): string | undefined {
  const allowed = choicesOf(place.document, schema)
  if (allowed.length === 0 || allowed.some((each) => isSame(each, value))) return undefined
  if (value === null && typesOf(place.document, schema).has('null')) return undefined
  return say(place, `has to be ${allowed.map((each) => JSON.stringify(each)).join(' or ')}.`)
}

function typeFault(place: Place, schema: Fields, value: unknown): string | undefined {
  if (!schema.has('type')) return undefined
  const types = typesOf(place.document, schema)
  const actual = typeName(value)
  if (types.has(actual) || (actual === 'integer' && types.has('number'))) return undefined
  const wanted = [...types].filter((type) => type !== 'null').map(typeWord)
  return say(place, `has to be a ${wanted.join(' or ')}.`)
}

function variantFault(place: Place, schema: Fields, value: unknown): string | undefined {
  const variants = variantsOf(place.document, schema)
  if (variants.length === 0) return undefined
  const deeper = { ...place, depth: place.depth + 1 }
  const faults = variants.map((each) => faultAt(deeper, each, value))
  return faults.includes(undefined) ? undefined : faults[0]
}

function textFault(place: Place, schema: Fields, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const length = [...value].length
  const least = numberOrNull(schema, 'minLength') ?? 0
  const most = numberOrNull(schema, 'maxLength') ?? Infinity
  if (length < least) return say(place, `needs at least ${count(least, 'character')}.`)
  if (length > most) return say(place, `may have at most ${count(most, 'character')}.`)
  const pattern = textOf(schema, 'pattern')
  return pattern === '' || fits(pattern, value) ? undefined : say(place, `has to fit ${pattern}`)
}

function fits(pattern: string, value: string): boolean {
  if (value.length > MAX_PATTERN_LENGTH || isSlow(pattern)) return true
  try {
    return new RegExp(pattern, 'u').test(value)
  } catch {
    // A pattern that this browser cannot read is left to the service.
    return true
  }
}

/** Too careful rather than too slow: the service decides. */
function isSlow(pattern: string): boolean {
  return REPEATED_GROUP.test(pattern) || (pattern.match(REPETITION)?.length ?? 0) > MAX_REPETITIONS
}

function numberFault(place: Place, schema: Fields, value: unknown): string | undefined {
  if (typeof value !== 'number') return undefined
  const limit = (name: string, missing: number) => numberOrNull(schema, name) ?? missing
  const [least, most] = [limit('minimum', -Infinity), limit('maximum', Infinity)]
  const [above, below] = [limit('exclusiveMinimum', -Infinity), limit('exclusiveMaximum', Infinity)]
  if (value < least) return say(place, `has to be at least ${least}.`)
  if (value > most) return say(place, `has to be at most ${most}.`)
  if (value <= above) return say(place, `has to be more than ${above}.`)
  return value >= below ? say(place, `has to be less than ${below}.`) : undefined
}

function itemsFault(place: Place, schema: Fields, value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined
  const least = numberOrNull(schema, 'minItems') ?? 0
  const most = numberOrNull(schema, 'maxItems') ?? Infinity
  if (value.length < least) return say(place, `needs at least ${count(least, 'entry', 'entries')}.`)
  if (value.length > most) return say(place, `may have at most ${count(most, 'entry', 'entries')}.`)
  const items = resolveSchema(place.document, schema.get('items'))
  if (schema.has('prefixItems') || items.size === 0) return undefined
  return firstOf(value.entries(), ([index, item]) => faultAt(below(place, `[${index}]`), items, item))
}

function membersFault(place: Place, schema: Fields, value: unknown): string | undefined {
  if (typeName(value) !== 'object') return undefined
  const members = fieldsOf(value)
  const properties = fieldsOf(schema.get('properties'))
  const required = schema.get('required')
  const missing = (Array.isArray(required) ? required.map(String) : []).find((name) => !members.has(name))
  if (missing !== undefined) return say(place, `needs "${missing}".`)
  return firstOf(members, ([name, member]) => {
    const inner = below(place, place.path === '' ? name : `.${name}`)
    if (properties.has(name))
      return faultAt(inner, resolveSchema(place.document, properties.get(name)), member)
    return schema.get('additionalProperties') === false ? say(place, `may not have "${name}".`) : undefined
  })
}

function below(place: Place, name: string): Place {
  return { ...place, path: `${place.path}${name}`, depth: place.depth + 1 }
}

function firstOf<T>(items: Iterable<T>, faultOf: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const fault = faultOf(item)
    if (fault !== undefined) return fault
  }
  return undefined
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** Whether two JSON values are equal; the order of members counts. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
