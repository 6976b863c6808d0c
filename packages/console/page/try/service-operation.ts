import { headerKeys, templateParameters, templateShape } from '@agentic-rest/profile'
import type { Route } from '../api/bodies.ts'
import { type Fields, fieldsOf, isTrue, listOf, textOf } from '../api/read-json.ts'
import { resolveSchema, type Shape, shapeOf, typesOf } from './schema-shape.ts'

/** An input of an operation. */
export interface InputField extends Shape {
  readonly name: string
  readonly location: 'path' | 'query' | 'header' | 'body'
  readonly isRequired: boolean
  /** As in the document. */
  readonly schema: unknown
}

/** An operation of a service by its OpenAPI document. */
export interface ServiceOperation {
  readonly document: Fields
  readonly summary: string
  readonly description: string
  readonly fields: readonly InputField[]
  /** Whether the body is described as an object with fields. */
  readonly hasBodyFields: boolean
  /** Whether it can stream, and then ends its streams with an outcome. */
  readonly streams: boolean
}

/** Finds the operation of a route in the document of its service. */
export function findOperation(
  value: unknown,
  route: Pick<Route, 'method' | 'path' | 'target'>,
): ServiceOperation | undefined {
  const document = fieldsOf(value)
  const wanted = new Set([route.path, `${basePath(route.target ?? '')}${route.path}`].map(templateOf))
  const prefixes = new Set(['', ...listOf(document, 'servers', (each) => serverPath(each))])
  for (const [path, item] of fieldsOf(document.get('paths'))) {
    const operation = fieldsOf(resolveSchema(document, item).get(route.method.toLowerCase()))
    if (operation.size === 0) continue
    if (![...prefixes].some((prefix) => wanted.has(templateOf(`${prefix}${path}`)))) continue
    return describe({ document, path, shared: fieldsOf(item), operation }, route)
  }
  return undefined
}

interface Found {
  readonly document: Fields
  readonly path: string
  /** The path item, whose parameters are those of all its operations. */
  readonly shared: Fields
  readonly operation: Fields
}

function describe(found: Found, route: Pick<Route, 'path'>): ServiceOperation {
  const { document, operation } = found
  const body = bodyFields(found)
  return {
    document,
    summary: textOf(operation, 'summary'),
    description: textOf(operation, 'description'),
    fields: [...parameterFields(found, route), ...body],
    hasBodyFields: body.length > 0,
    streams: isTrue(fieldsOf(operation.get('x-agentic')), 'stream'),
  }
}

function parameterFields({ document, path, shared, operation }: Found, route: Pick<Route, 'path'>) {
  // The gateway may name the parameters of the same path differently.
  const names = templateParameters(route.path)
  const renamed = new Map(templateParameters(path).map((name, index) => [name, names[index] ?? name]))
  const all = [shared, operation].flatMap((each) => listOf(each, 'parameters', (one) => one))
  const fields = all
    .map((each) => parameterField(document, resolveSchema(document, each)))
    .filter((field) => field !== undefined)
    .map((field) =>
      field.location === 'path' ? { ...field, name: renamed.get(field.name) ?? field.name } : field,
    )
  // A parameter of the operation replaces the one of its path.
  return [...new Map(fields.map((field) => [`${field.location} ${field.name}`, field])).values()]
}

// The form has its own controls for these, and the browser sets the others.
const ownHeaders = new Set(
  [...Object.values(headerKeys), 'prefer', 'accept', 'cookie'].map((name) => name.toLowerCase()),
)

function parameterField(document: Fields, parameter: Fields): InputField | undefined {
  const name = textOf(parameter, 'name')
  const location = (['path', 'query', 'header'] as const).find((each) => each === textOf(parameter, 'in'))
  if (name === '' || location === undefined) return undefined
  if (location === 'header' && ownHeaders.has(name.toLowerCase())) return undefined
  const schema = parameter.get('schema') ?? jsonSchemaIn(parameter)
  const resolved = resolveSchema(document, schema)
  const shape = shapeOf(document, resolved)
  // Outside of a body everything is sent as text.
  const isList = typesOf(document, resolved).has('array')
  const kind = shape.kind === 'json' ? (isList ? 'lines' : 'text') : shape.kind
  return {
    ...shape,
    kind,
    name,
    location,
    schema,
    description: textOf(parameter, 'description') || shape.description,
    isRequired: location === 'path' || isTrue(parameter, 'required'),
    examples: [...(parameter.has('example') ? [parameter.get('example')] : []), ...shape.examples],
  }
}

function bodyFields({ document, operation }: Found): InputField[] {
  const body = resolveSchema(document, operation.get('requestBody'))
  const schema = resolveSchema(document, jsonSchemaIn(body))
  const required = new Set(listOf(schema, 'required', String))
  return [...fieldsOf(schema.get('properties'))]
    .map(([name, value]) => ({ name, value, resolved: resolveSchema(document, value) }))
    .filter(({ resolved }) => !isTrue(resolved, 'readOnly'))
    .map(({ name, value, resolved }) => ({
      ...shapeOf(document, resolved),
      name,
      schema: value,
      location: 'body',
      isRequired: required.has(name),
    }))
}

function jsonSchemaIn(holder: Fields): unknown {
  const content = [...fieldsOf(holder.get('content'))]
  const json = content.find(([type]) => /[/+]json\b/.test(type))
  return fieldsOf(json?.[1]).get('schema')
}

/** A path in which parameters have no name. */
function templateOf(path: string): string {
  return templateShape(path).replace(/\/+$/, '')
}

function serverPath(server: unknown): string {
  return basePath(textOf(fieldsOf(server), 'url'))
}

function basePath(url: string): string {
  try {
    return new URL(url, 'http://localhost').pathname.replace(/\/+$/, '')
  } catch {
    return ''
  }
}
