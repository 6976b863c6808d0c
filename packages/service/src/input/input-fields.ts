import type { InputLocation, InputType, RequiredInput } from '@agentic-rest/profile'
import { branches, dereference, type JsonSchema } from './json-schema.ts'

/** One input of an operation, as described by its schema. */
export interface InputField {
  readonly name: string
  readonly location: InputLocation
  readonly required: boolean
  readonly schema: JsonSchema
  readonly types: ReadonlySet<JsonType>
  /** The types of the elements of a list. */
  readonly itemTypes: ReadonlySet<JsonType>
  /** The question for a caller without this input. */
  readonly request: RequiredInput
}

/** The source of the fields of an operation. */
interface FieldSource {
  readonly schema: JsonSchema
  readonly locate: (name: string) => InputLocation
}

interface Shape {
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly required: ReadonlySet<string>
}

/** Reads the inputs from the JSON Schema of an operation, in its order. */
export function inputFields({ schema, locate }: FieldSource): ReadonlyMap<string, InputField> {
  const { properties, required } = shapeOf(schema, schema)
  return new Map(
    [...properties].map(([name, property]) => {
      const place = { name, location: locate(name), required: required.has(name) }
      return [name, inputField(place, property, schema)]
    }),
  )
}

type Place = Pick<InputField, 'name' | 'location' | 'required'>

function inputField(place: Place, property: JsonSchema, root: JsonSchema): InputField {
  const types = valueTypes(property, root)
  const items = dereference(property, root)['items']
  return {
    ...place,
    schema: property,
    types,
    itemTypes: items === undefined ? new Set() : valueTypes(items, root),
    request: requestFor(place, property, { root, hint: typeHint(types) }),
  }
}

function requestFor(
  { name, location }: Place,
  property: JsonSchema,
  { root, hint }: { root: JsonSchema; hint: InputType },
): RequiredInput {
  const values = allowedValues(property, root)
  return {
    name,
    location,
    type: hint,
    // Only missing required inputs are asked for.
    required: true,
    question: questionFor(name, dereference(property, root)['description']),
    ...(values && { allowedValues: values }),
  }
}

function questionFor(name: string, description: unknown): string {
  if (typeof description === 'string' && description !== '') return description
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ')
  return `What is the ${words.toLowerCase()}?`
}

/** The properties of all branches. Required is only what every alternative requires. */
function shapeOf(schema: unknown, root: JsonSchema): Shape {
  const resolved = dereference(schema, root)
  const own = ownShape(resolved)
  const all = branches(resolved, 'allOf').map((part) => shapeOf(part, root))
  const any = [...branches(resolved, 'anyOf'), ...branches(resolved, 'oneOf')].map((part) =>
    shapeOf(part, root),
  )
  return {
    properties: mergeProperties([own, ...all, ...any]),
    required: new Set([own, ...all, { required: common(any) }].flatMap(({ required }) => [...required])),
  }
}

function ownShape({ properties, required }: JsonSchema): Shape {
  const entries = typeof properties === 'object' && properties !== null ? Object.entries(properties) : []
  return {
    properties: new Map(entries as [string, JsonSchema][]),
    required: new Set(Array.isArray(required) ? required : []),
  }
}

function mergeProperties(shapes: readonly Shape[]): ReadonlyMap<string, JsonSchema> {
  const found = Map.groupBy(
    shapes.flatMap(({ properties }) => [...properties]),
    ([name]) => name,
  )
  return new Map(
    [...found].map(([name, entries]) => {
      return [name, oneSchema(entries.map(([, schema]) => schema))]
    }),
  )
}

function oneSchema(schemas: readonly JsonSchema[]): JsonSchema {
  const [first = {}, ...others] = schemas
  if (others.length === 0) return first
  const described = schemas.find(({ description }) => description !== undefined)
  return { anyOf: schemas, ...(described && { description: described['description'] }) }
}

function common(shapes: readonly Shape[]): ReadonlySet<string> {
  const [first, ...others] = shapes.map(({ required }) => required)
  return new Set([...(first ?? [])].filter((name) => others.every((required) => required.has(name))))
}

/** The types of JSON Schema. */
export type JsonType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null'

/** All possible types of a value; empty if the schema does not restrict them. */
function valueTypes(schema: unknown, root: JsonSchema): ReadonlySet<JsonType> {
  const resolved = dereference(schema, root)
  const values = literalsOf(resolved)
  if (values !== undefined) return new Set(values.map(typeOfValue))
  if (resolved['type'] !== undefined) return new Set([resolved['type']].flat() as JsonType[])
  const alternatives = [...branches(resolved, 'anyOf'), ...branches(resolved, 'oneOf')]
  const parts = alternatives.length > 0 ? alternatives : branches(resolved, 'allOf')
  return new Set(parts.flatMap((part) => [...valueTypes(part, root)]))
}

/** The allowed values, from `enum`, `const` or a union of literals. */
function allowedValues(schema: unknown, root: JsonSchema): readonly unknown[] | undefined {
  const resolved = dereference(schema, root)
  const values = literalsOf(resolved)
  if (values !== undefined) return values
  const alternatives = [...branches(resolved, 'anyOf'), ...branches(resolved, 'oneOf')]
  // Null means "no value" and is not a choice.
  const choices = alternatives.filter((part) => dereference(part, root)['type'] !== 'null')
  if (choices.length === 0) return undefined
  const lists = choices.map((part) => allowedValues(part, root))
  if (lists.includes(undefined)) return undefined
  return [...new Set(lists.flatMap((list) => list ?? []))]
}

/** The type hint of the profile for a set of types. A `number` is asked for as a string (decision 31). */
function typeHint(types: ReadonlySet<JsonType>): InputType {
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
