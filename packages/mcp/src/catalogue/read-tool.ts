import {
  headers,
  isObject,
  type JsonObject,
  outcomes,
  templateParameters,
  templateShape,
} from '@agentic-rest/profile'
import { objectAt, textAt } from '../json-value.ts'
import {
  annotationsOf,
  type CatalogueTool,
  hasEffect,
  isToolName,
  MAX_NAME_LENGTH,
  type Place,
  type ToolDefinition,
  type ToolReading,
  type ToolRoute,
  toolNameOf,
} from './tool.ts'
import { checkSize, SchemaCopy, SchemaError } from './tool-schema.ts'

/** The argument that names an idempotency key, on routes that offer it. */
export const KEY_ARGUMENT = 'idempotencyKey'

const ASKED_LATER = 'Asked for when missing.'
const JSON_TYPE = 'application/json'

// Headers of the connection, of content negotiation and of preferences. They are never arguments of a tool.
const reservedHeaders = [
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'prefer',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
]
const ownedHeaders = new Set([
  ...Object.values(headers).map((name) => name.toLowerCase()),
  ...reservedHeaders,
])

/** Whether a header belongs to the gateway or the connection, so that no argument may set it. */
export function isOwnedHeader(name: string): boolean {
  const key = name.toLowerCase()
  return (
    ownedHeaders.has(key) ||
    key.startsWith('x-forwarded-') ||
    key.startsWith('mcp-') ||
    key.startsWith('sec-')
  )
}

/** Reads the tool of a route from the OpenAPI document of its service. */
export function readTool(route: ToolRoute, document?: unknown): ToolReading {
  const name = toolNameOf(route)
  if (!isToolName(name)) {
    const message = `a tool name has 1 to ${MAX_NAME_LENGTH} letters, digits, "_" and "-", not "${name.slice(0, 64)}"`
    return { ok: false, fault: { code: 'bad_name', message } }
  }
  try {
    return { ok: true, tool: toolOf(route, inputsOf(route, document)) }
  } catch (error) {
    if (error instanceof SchemaError) return { ok: false, fault: error.fault }
    throw error
  }
}

/** One input of an operation before it has a name among the arguments. */
interface Input extends Place {
  readonly schema: unknown
  readonly description: string | undefined
  readonly required: boolean
}

interface Inputs {
  readonly inputs: readonly Input[]
  readonly additional: CatalogueTool['additional']
  readonly definitions: Readonly<Record<string, unknown>>
  readonly pathParameters: readonly string[]
  readonly text?: string | undefined
  /** The operation can ask for missing inputs. */
  readonly canAsk: boolean
  readonly canAnswerLater?: boolean
  readonly isIdempotent?: boolean
  /** The document says that the operation streams, as the service SDK writes it. */
  readonly canStream?: boolean
}

function inputsOf(route: ToolRoute, document: unknown): Inputs {
  const { input = 'openapi' } = route.mcp
  if (input === 'none') return schemaInputs(route, { type: 'object', additionalProperties: true })
  return input === 'openapi' ? documentInputs(route, document) : schemaInputs(route, input)
}

/** The inputs of a schema without a document: path parameters by their names, all others in the body or the query. */
function schemaInputs({ method, path }: ToolRoute, schema: JsonObject): Inputs {
  const copy = new SchemaCopy(schema)
  const names = templateParameters(path)
  const elsewhere = hasEffect(method) && method !== 'DELETE' ? 'body' : 'query'
  const required = requiredOf(schema)
  const properties = objectAt(schema, 'properties')
  const inputs = [...new Set([...names, ...Object.keys(properties)])].map(
    (name): Input => ({
      location: names.includes(name) ? 'path' : elsewhere,
      name,
      schema: copy.copy(properties[name] ?? { type: 'string' }),
      description: textAt(properties[name], 'description'),
      required: required.has(name),
    }),
  )
  const additional = allowsMore(schema) ? elsewhere : undefined
  // Without a document nothing says that the service does not ask.
  return { inputs, additional, definitions: copy.definitions, pathParameters: names, canAsk: true }
}

function documentInputs(route: ToolRoute, document: unknown): Inputs {
  if (!isObject(document) || !isObject(document['paths'])) {
    throw new SchemaError('bad_document', 'the document of the service is not an OpenAPI document')
  }
  const copy = new SchemaCopy(document)
  const { template, item, operation } = findOperation(route, document)
  const parameters = [...listAt(item, 'parameters'), ...listAt(operation, 'parameters')]
    .map((each) => copy.resolve(each))
    .filter(isObject)
  const body = bodyInputs(copy, operation)
  const inputs = [...pathInputs(template, parameters, copy), ...otherInputs(parameters, copy), ...body.inputs]
  const headerNames = parameters
    .filter((each) => each['in'] === 'header')
    .map((each) => textAt(each, 'name')?.toLowerCase())
  return {
    inputs,
    additional: body.additional,
    definitions: copy.definitions,
    pathParameters: templateParameters(template),
    text:
      [textAt(operation, 'summary'), textAt(operation, 'description')].filter(Boolean).join('\n\n') ||
      undefined,
    canAsk: hasClarification(copy, operation),
    canAnswerLater: headerNames.includes('prefer'),
    isIdempotent: headerNames.includes(headers.idempotencyKey.toLowerCase()),
    canStream: objectAt(operation, 'x-agentic')['stream'] === true,
  }
}

/** Whether the operation answers with a clarification: then a call without an input leads to a question, not to an error. */
function hasClarification(copy: SchemaCopy, operation: JsonObject): boolean {
  const { status, mediaType } = outcomes.clarification_required
  try {
    const response = copy.resolve(objectAt(operation, 'responses')[String(status)])
    return Object.hasOwn(objectAt(response, 'content'), mediaType)
  } catch (error) {
    // An answer that refers to another document says nothing about it. The tool needs its inputs alone.
    if (error instanceof SchemaError) return false
    throw error
  }
}

function findOperation({ method, path }: ToolRoute, document: JsonObject) {
  const wanted = templateShape(path)
  const prefixes = ['', ...listAt(document, 'servers').map((server) => serverPath(textAt(server, 'url')))]
  // Looked up, not compared one by one: a document may have thousands of servers and of paths.
  const templates = new Set(
    prefixes.filter((prefix) => wanted.startsWith(prefix)).map((prefix) => wanted.slice(prefix.length)),
  )
  for (const [template, item] of Object.entries(objectAt(document, 'paths'))) {
    const operation = isObject(item) ? item[method.toLowerCase()] : undefined
    if (!isObject(item) || !isObject(operation)) continue
    if (templates.has(templateShape(template))) return { template, item, operation }
  }
  throw new SchemaError('no_operation', `the document has no operation for ${method} ${path}`)
}

function serverPath(url: string | undefined): string {
  const path = URL.parse(url ?? '', 'http://localhost/')?.pathname ?? '/'
  return path.replace(/\/$/, '')
}

function pathInputs(template: string, parameters: readonly JsonObject[], copy: SchemaCopy): Input[] {
  return templateParameters(template).map((name) => {
    const found = parameters.findLast((each) => each['in'] === 'path' && each['name'] === name)
    const schema = found === undefined ? { type: 'string' } : copy.copy(schemaOf(found))
    return { location: 'path', name, schema, description: textAt(found, 'description'), required: true }
  })
}

function otherInputs(parameters: readonly JsonObject[], copy: SchemaCopy): Input[] {
  const found = new Map<string, Input>()
  for (const parameter of parameters) {
    const name = textAt(parameter, 'name')
    const location = parameter['in']
    if (name === undefined || (location !== 'query' && location !== 'header')) continue
    if (location === 'header' && isOwnedHeader(name)) continue
    const description = textAt(parameter, 'description')
    const schema = copy.copy(schemaOf(parameter))
    // A parameter of the operation overrides the one of its path.
    found.set(`${location} ${name}`, {
      location,
      name,
      schema,
      description,
      required: parameter['required'] === true,
    })
  }
  return [...found.values()]
}

function schemaOf(parameter: JsonObject): unknown {
  return parameter['schema'] ?? objectAt(objectAt(parameter, 'content'), JSON_TYPE)['schema'] ?? {}
}

function bodyInputs(copy: SchemaCopy, operation: JsonObject): Pick<Inputs, 'inputs' | 'additional'> {
  const requestBody = copy.resolve(operation['requestBody'])
  const written = objectAt(objectAt(requestBody, 'content'), JSON_TYPE)['schema']
  if (written === undefined) return { inputs: [], additional: undefined }
  const schema = copy.resolve(written)
  const isRequired = objectAt(operation, 'requestBody')['required'] === true
  if (!isObject(schema) || schema['type'] !== 'object' || !isObject(schema['properties'])) {
    const description = textAt(schema, 'description')
    const whole = {
      location: 'body' as const,
      name: '',
      schema: copy.copy(written),
      description,
      required: isRequired,
    }
    return { inputs: [whole], additional: undefined }
  }
  const required = requiredOf(schema)
  const inputs = Object.entries(schema['properties']).map(([name, each]) => ({
    location: 'body' as const,
    name,
    schema: copy.copy(each),
    description: textAt(each, 'description'),
    required: required.has(name),
  }))
  return { inputs, additional: allowsMore(schema) ? 'body' : undefined }
}

function allowsMore(schema: JsonObject): boolean {
  const { additionalProperties } = schema
  return additionalProperties === true || isObject(additionalProperties)
}

function requiredOf(schema: JsonObject): Set<unknown> {
  return new Set(listAt(schema, 'required'))
}

function listAt(value: unknown, key: string): readonly unknown[] {
  const member = isObject(value) ? value[key] : undefined
  return Array.isArray(member) ? member : []
}

function toolOf(route: ToolRoute, read: Inputs): CatalogueTool {
  const {
    inputs,
    additional,
    definitions,
    pathParameters,
    text,
    canAsk,
    canAnswerLater = false,
    isIdempotent = false,
    canStream = false,
  } = read
  const places = new Map<string, Place>()
  const required: string[] = []
  const properties: Record<string, unknown> = {}
  for (const input of inputs) {
    const name = freeName(input, places)
    places.set(name, { location: input.location, name: input.name })
    properties[name] = describeProperty(input, canAsk)
    if (input.location === 'path' || (input.required && !canAsk)) required.push(name)
  }
  if (route.mcp.idempotencyArgument === true) {
    properties[KEY_ARGUMENT] = { type: 'string', description: 'Calls with the same key have one effect.' }
  }
  const inputSchema = {
    type: 'object' as const,
    ...(required.length > 0 && { required }),
    additionalProperties: additional !== undefined,
    properties,
    ...(Object.keys(definitions).length > 0 && { $defs: { ...definitions } }),
  }
  checkSize(inputSchema)
  const { title, description = text, stream = canStream ? 'events' : 'off' } = route.mcp
  const definition: ToolDefinition = {
    name: toolNameOf(route),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema,
    annotations: annotationsOf(route.method),
  }
  return {
    definition,
    route,
    places,
    additional,
    pathParameters,
    canAnswerLater,
    isIdempotent,
    streams: stream === 'events',
  }
}

/** The name of an input among the arguments: its own, or with the location and a number where that is taken. */
function freeName({ name, location }: Input, taken: ReadonlyMap<string, Place>): string {
  const wanted = name === '' ? 'body' : name
  let free = wanted
  for (let count = 1; taken.has(free) || free === '__proto__'; count += 1) {
    free = count === 1 ? `${wanted}_${location}` : `${wanted}_${location}_${count}`
  }
  return free
}

/**
 * Where the service can ask, only path parameters are required by the tool. With more, a model would invent values, or
 * the client would refuse the call, and the question of the service would never be asked.
 */
function describeProperty({ schema, description, required, location }: Input, canAsk: boolean): unknown {
  const own = description ?? textAt(schema, 'description')
  const asked = canAsk && required && location !== 'path' ? ASKED_LATER : undefined
  const text = [own, asked].filter((part) => part !== undefined && part !== '').join(' ')
  if (text === '') return schema
  return { ...(isObject(schema) ? schema : {}), description: text }
}
