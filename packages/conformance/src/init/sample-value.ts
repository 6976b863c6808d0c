import { isObject } from '../offline/file-faults.ts'
import type { References } from '../offline/references.ts'

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
      return 'text'
        .padEnd(Number(schema['minLength'] ?? 0), 't')
        .slice(0, Number(schema['maxLength'] ?? 1000))
    case 'integer':
    case 'number':
      return Number(schema['minimum'] ?? Math.min(1, Number(schema['maximum'] ?? 1)))
    case 'boolean':
      return true
    case 'array':
      return schema['items'] === undefined ? [] : [make(schema['items'])]
    case 'object':
      return makeObject(schema, make)
    default:
      return choice === undefined ? undefined : make(choice)
  }
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
