import { isObject } from '@agentic-rest/profile'
import type { References } from '../offline/references.ts'
import { sampleText } from './sample-text.ts'

/** Generates values that a schema probably accepts. */
export interface Sampler {
  /** A value from the schema: an example, default or enum value. */
  given(schema: unknown): unknown
  /** A value from the schema, or a generated one. */
  make(schema: unknown): unknown
}

// Limits the size of values of recursive schemas.
const DEEPEST = 4

/** Creates a sampler for the schemas of one document. `untyped` is the value for a schema without a type. */
export function createSampler(references: Pick<References, 'follow'>, untyped: unknown = {}): Sampler {
  const given = (value: unknown): unknown => {
    const schema = references.follow(value)
    if (!isObject(schema)) return undefined
    const { example, examples, const: only, default: usual, enum: words } = schema
    return [example, first(examples), only, usual, first(words)].find(isGiven)
  }
  const make = (value: unknown, depth = 0): unknown => {
    const named = given(value)
    if (named !== undefined) return named
    const schema = references.follow(value)
    if (!isObject(schema) || depth > DEEPEST) return null
    return makeByType(schema, (part) => make(part, depth + 1)) ?? untyped
  }
  return { given, make: (schema) => make(schema) }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function makeByType(schema: Readonly<Record<string, unknown>>, make: (schema: unknown) => unknown): unknown {
  const choice = first(schema['allOf']) ?? first(schema['anyOf']) ?? first(schema['oneOf'])
  switch ([schema['type']].flat().find((type) => type !== 'null')) {
    case 'string':
      return sampleText(schema)
    case 'integer':
      return sampleNumber(schema, 1)
    case 'number':
      return sampleNumber(schema, 0.5)
    case 'boolean':
      return true
    case 'array':
      return sampleList(schema, make)
    case 'object':
      return makeObject(schema, make)
    default:
      return choice === undefined ? undefined : make(choice)
  }
}

const MOST_ITEMS = 20

function sampleList(
  schema: Readonly<Record<string, unknown>>,
  make: (schema: unknown) => unknown,
): unknown[] {
  const { items, minItems } = schema
  if (items === undefined) return []
  return Array.from({ length: Math.min(numberOr(minItems, 1) || 1, MOST_ITEMS) }, () => make(items))
}

/** A number in the range; `step` is the distance from an exclusive bound. OpenAPI 3.0 has boolean exclusive bounds. */
function sampleNumber(schema: Readonly<Record<string, unknown>>, step: number): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const least = Math.max(
    exclusiveMinimum === true ? numberOr(minimum, -Infinity) + step : numberOr(minimum, -Infinity),
    numberOr(exclusiveMinimum, -Infinity) + step,
  )
  const most = Math.min(
    exclusiveMaximum === true ? numberOr(maximum, Infinity) - step : numberOr(maximum, Infinity),
    numberOr(exclusiveMaximum, Infinity) - step,
  )
  const wish = least === -Infinity ? Math.min(1, most) : least
  const factor = numberOr(multipleOf, 0)
  return factor > 0 ? Math.ceil(wish / factor) * factor : wish
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise
}

function makeObject(schema: Readonly<Record<string, unknown>>, make: (schema: unknown) => unknown): unknown {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema['required']) ? schema['required'].map(String) : []
  const entries = required
    .filter((name) => name !== '__proto__' && Object.hasOwn(properties, name))
    .map((name) => [name, make(properties[name])])
  return Object.fromEntries(entries)
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined
}
