import type { InputType } from '@agentic-rest/profile'
import { branches, dereference, type JsonSchema } from './json-schema.ts'

/** The types of JSON Schema. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

/** Every type that a value of the schema can have; empty when the schema does not say. */
export function valueTypes(schema: unknown, root: JsonSchema): ReadonlySet<JsonType> {
  const resolved = dereference(schema, root)
  const values = literalsOf(resolved)
  if (values !== undefined) return new Set(values.map(typeOfValue))
  if (resolved['type'] !== undefined) return new Set([resolved['type']].flat() as JsonType[])
  const alternatives = [...branches(resolved, 'anyOf'), ...branches(resolved, 'oneOf')]
  const parts = alternatives.length > 0 ? alternatives : branches(resolved, 'allOf')
  return new Set(parts.flatMap((part) => [...valueTypes(part, root)]))
}

/** The values to choose from when the schema lists them, by `enum`, `const` or a union of literals. */
export function allowedValues(schema: unknown, root: JsonSchema): readonly unknown[] | undefined {
  const resolved = dereference(schema, root)
  const values = literalsOf(resolved)
  if (values !== undefined) return values
  const alternatives = [...branches(resolved, 'anyOf'), ...branches(resolved, 'oneOf')]
  // Null stands for "no value": it is nothing to choose.
  const choices = alternatives.filter((part) => dereference(part, root)['type'] !== 'null')
  if (choices.length === 0) return undefined
  const lists = choices.map((part) => allowedValues(part, root))
  if (lists.includes(undefined)) return undefined
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

/** The profile's hint for a set of types. It has no `number`: such a value is asked for as a string (decision 31). */
export function typeHint(types: ReadonlySet<JsonType>): InputType {
  const [first, ...others] = [...types].filter((type) => type !== 'null')
  if (first === undefined || others.length > 0 || first === 'number') return 'string'
  return first
}

function literalsOf(schema: JsonSchema): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return 'const' in schema ? [schema['const']] : undefined
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (typeof value === 'boolean' || typeof value === 'string') return typeof value as 'boolean' | 'string'
  return 'object'
}
