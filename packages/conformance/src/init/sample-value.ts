import { isObject } from '../offline/fault.ts'
import type { References } from '../offline/references.ts'

/** Makes values that a schema probably accepts. */
export interface Sampler {
  /** A value that the schema itself names, if it names one. */
  given(schema: unknown): unknown
  /** A value in any case. */
  make(schema: unknown): unknown
}

const DEEPEST = 6

/** A sampler for the schemas of one document. */
export function createSampler(references: References): Sampler {
  const given = (value: unknown): unknown => {
    const schema = references.follow(value)
    if (!isObject(schema)) return undefined
    const { examples, enum: words } = schema
    return schema['example'] ?? first(examples) ?? schema['const'] ?? schema['default'] ?? first(words)
  }
  const make = (value: unknown, depth = 0): unknown => {
    const named = given(value)
    if (named !== undefined) return named
    const schema = references.follow(value)
    if (!isObject(schema) || depth > DEEPEST) return null
    return makeByType(schema, (part) => make(part, depth + 1))
  }
  return { given, make: (schema) => make(schema) }
}

function makeByType(schema: Readonly<Record<string, unknown>>, make: (schema: unknown) => unknown): unknown {
  const choice = first(schema['allOf']) ?? first(schema['anyOf']) ?? first(schema['oneOf'])
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  switch (type) {
    case 'string':
      return 'text'.padEnd(Number(schema['minLength'] ?? 0), 't')
    case 'integer':
    case 'number':
      return schema['minimum'] ?? 1
    case 'boolean':
      return true
    case 'array':
      return schema['items'] === undefined ? [] : [make(schema['items'])]
    case 'object':
      return makeObject(schema, make)
    default:
      return choice === undefined ? {} : make(choice)
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
