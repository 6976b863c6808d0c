import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const TARGET = 'draft-2020-12'
// A schema that refers to itself without an object in between describes nothing; this ends the search for it.
const MAX_REF_DEPTH = 32

/** The JSON Schema of what a caller may send, from the schema itself or as given; a `TypeError` when there is none. */
export function jsonSchemaOf(schema: StandardSchemaV1, explicit: JsonSchema | undefined): JsonSchema {
  if (explicit !== undefined) return explicit
  const standard: Partial<StandardJSONSchemaV1.Props> = schema['~standard']
  const { vendor, jsonSchema } = standard
  if (jsonSchema === undefined) {
    throw new TypeError(`a ${vendor} schema has no JSON Schema of its own; give one as inputJsonSchema`)
  }
  try {
    return jsonSchema.input({ target: TARGET })
  } catch (cause) {
    throw new TypeError(
      `the ${vendor} schema cannot be written as JSON Schema; give one as inputJsonSchema`,
      {
        cause,
      },
    )
  }
}

/** The JSON Schema of what an operation answers with; `undefined` when the schema cannot tell. */
export function outputJsonSchemaOf(schema: StandardSchemaV1 | JsonSchema): JsonSchema | undefined {
  if (!isStandardSchema(schema)) return schema
  const standard: Partial<StandardJSONSchemaV1.Props> = schema['~standard']
  try {
    return standard.jsonSchema?.output({ target: TARGET })
  } catch {
    return undefined
  }
}

/** A schema with its `$ref`s followed, inside the document that it stands in. */
export function dereference(schema: unknown, root: JsonSchema): JsonSchema {
  let current = asSchema(schema)
  for (let depth = 0; depth < MAX_REF_DEPTH; depth += 1) {
    const { $ref: reference, ...siblings } = current
    if (typeof reference !== 'string') return current
    current = { ...asSchema(lookUp(reference, root)), ...siblings }
  }
  throw new TypeError('the JSON Schema refers to itself')
}

/** The schemas that a keyword such as `anyOf` lists. */
export function branches(schema: JsonSchema, keyword: 'allOf' | 'anyOf' | 'oneOf'): readonly unknown[] {
  const list = schema[keyword]
  return Array.isArray(list) ? list : []
}

function lookUp(reference: string, root: JsonSchema): unknown {
  if (!reference.startsWith('#'))
    throw new TypeError(`the JSON Schema refers to ${reference}, which is not in it`)
  const segments = reference.slice(1).split('/').slice(1)
  let current: unknown = root
  for (const segment of segments) {
    const name = decodeURIComponent(segment).replaceAll('~1', '/').replaceAll('~0', '~')
    current = asSchema(current)[name]
  }
  return current
}

/** `true` and `false` are schemas too: they say nothing of a type, so an empty one stands for both. */
function asSchema(value: unknown): JsonSchema {
  return typeof value === 'object' && value !== null ? (value as JsonSchema) : {}
}

function isStandardSchema(schema: StandardSchemaV1 | JsonSchema): schema is StandardSchemaV1 {
  return '~standard' in schema
}
