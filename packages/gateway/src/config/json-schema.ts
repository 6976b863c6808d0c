import { z } from 'zod'
import { configSchema } from './config-schema.ts'
import { type KeySchema, markOf } from './schema/marks.ts'

/** A JSON Schema node, with the keywords that this module reads. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
  readonly description?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
}

const REFERENCE = { $ref: '#/$defs/reference' }
const ANNOTATIONS = ['title', 'description', 'default']

/**
 * The JSON Schema (2020-12) of a configuration file for editors: keys with defaults are optional, and a `${VAR}`
 * reference, a text until the gateway starts, is allowed in place of numbers, booleans and restricted texts.
 */
export const configJsonSchema = (described: z.ZodType = configSchema): JsonSchema => {
  const { $schema, ...schema } = z.toJSONSchema(described, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      const title = titleOf(zodSchema)
      if (title !== undefined) jsonSchema.title = title
    },
  }) as JsonSchema
  return { $schema, title: 'gateway.yaml', ...allowReferences(schema), $defs: { reference: referenceSchema } }
}

/** Files and secrets are called so in editors and in the reference. */
const titleOf = (schema: KeySchema): string | undefined => {
  const mark = schema._zod.def.type === 'string' ? markOf(schema) : undefined
  if (mark?.type === 'file') return mark.words.length === 0 ? 'file name' : undefined
  return mark?.type === 'secret' && mark.part !== 'parameters' ? 'secret' : undefined
}

const referenceSchema: JsonSchema = {
  description: 'An environment variable: ${NAME}, ${NAME:-default} or ${NAME:?message}.',
  type: 'string',
  pattern: '\\$\\{[A-Za-z_][A-Za-z0-9_]*(:[-?][^{}]*)?\\}',
}

const allowReferences = (schema: JsonSchema): JsonSchema => {
  if (schema.properties !== undefined) {
    const properties = Object.entries(schema.properties).map(([key, value]) => [key, allowReferences(value)])
    return { ...schema, properties: Object.fromEntries(properties) }
  }
  if (schema.items !== undefined) return { ...schema, items: allowReferences(schema.items) }
  if (typeof schema.additionalProperties === 'object') {
    return { ...schema, additionalProperties: allowReferences(schema.additionalProperties) }
  }
  // A value of several forms: one of them is a text, which takes a reference.
  if (schema.anyOf !== undefined)
    return { ...schema, anyOf: [...schema.anyOf.map(allowReferences), REFERENCE] }
  return isNarrowerThanText(schema) ? orReference(schema) : schema
}

const isNarrowerThanText = (schema: JsonSchema): boolean => {
  const { type, enum: words, pattern, minLength } = schema
  if (type !== 'string') return Object.keys(schema).length > 0
  return words !== undefined || pattern !== undefined || Number(minLength ?? 0) > 1
}

const orReference = (schema: JsonSchema): JsonSchema => {
  const isAnnotation = ([keyword]: [string, unknown]) => ANNOTATIONS.includes(keyword)
  const keywords = Object.entries(schema)
  const annotations = Object.fromEntries(keywords.filter(isAnnotation))
  const judgement = Object.fromEntries(keywords.filter((entry) => !isAnnotation(entry)))
  return { ...annotations, anyOf: [judgement, REFERENCE] }
}
