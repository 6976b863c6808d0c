import { bodyShapes, type ObjectShape, type Shape } from './body-shapes.ts'
import type { ProfileVersion, SchemaName } from './outcomes.ts'

/** A JSON Schema (2020-12) as plain data. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The identifier of one schema of one version. It is never fetched. */
export function schemaId(version: ProfileVersion, name: SchemaName): string {
  return `urn:agentic-rest:profile:${version}:${name}`
}

/** The six JSON Schemas of a version, by schema name. */
export function bodySchemas(version: ProfileVersion): Readonly<Record<SchemaName, JsonSchema>> {
  const entries = (Object.keys(bodyShapes) as SchemaName[]).map((name) => [
    name,
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: schemaId(version, name),
      ...shapeSchema(bodyShapes[name]),
    },
  ])
  return Object.fromEntries(entries)
}

/** The JSON Schema of one shape, without an identifier. */
export function shapeSchema(shape: Shape): JsonSchema {
  const description = shape.about
  switch (shape.kind) {
    case 'text':
      return { description, type: 'string', ...(shape.nonEmpty && { minLength: 1 }) }
    case 'oneOf':
      return { description, ...oneOfKeyword(shape.values) }
    case 'integer':
      return { description, type: 'integer', minimum: shape.minimum }
    case 'boolean':
      return { description, type: 'boolean' }
    case 'list':
      return {
        description,
        type: 'array',
        ...(shape.nonEmpty && { minItems: 1 }),
        ...(shape.items && { items: shapeSchema(shape.items) }),
      }
    case 'object':
      return { description, ...objectSchema(shape) }
  }
}

function oneOfKeyword(values: readonly string[]): JsonSchema {
  return values.length === 1 ? { const: values[0] } : { enum: values }
}

function objectSchema(shape: ObjectShape): JsonSchema {
  const fields = Object.entries(shape.fields)
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, shapeSchema(field)])),
    required: fields.filter(([, field]) => !field.optional).map(([name]) => name),
    additionalProperties: false,
  }
}
