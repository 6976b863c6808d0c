import { headerKeys, headers, openApiComponents, PROFILE_VERSION } from '@agentic-rest/profile'
import { headerPatterns } from '../http/caller.ts'
import { SEGMENT_PATTERN } from '../http/router.ts'
import type { InputField } from '../input/input-fields.ts'
import type { JsonSchema } from '../input/json-schema.ts'
import type { Operation } from '../operation.ts'
import { describeResponses } from './describe-responses.ts'
import { hoistSchema, safe } from './hoist-schema.ts'
import { linksOf } from './links.ts'

/** The path of the document. */
export const DOCUMENT_PATH = '/openapi.json'

/** The general part of a document. */
interface DocumentInfo {
  readonly title: string
  readonly version: string
  readonly description: string | undefined
  readonly publicPath: string
}

/** The OpenAPI 3.1 document of a service. */
export function openApiDocument(operations: readonly Operation[], info: DocumentInfo): JsonSchema {
  const { title, version, description, publicPath } = info
  const described = operations.map((operation) => ({
    ...operation,
    ...describeOperation(operation, operations),
  }))
  const byPath = Map.groupBy(described, ({ path }) => path)
  return {
    openapi: '3.1.1',
    info: { title, version, ...(description !== undefined && { description }) },
    // The name of the header is an extension member (`x-`).
    [headerKeys.profile]: PROFILE_VERSION,
    servers: [{ url: publicPath === '' ? '/' : publicPath }],
    security: [{ bearer: [] }],
    paths: Object.fromEntries(
      [...byPath].map(([path, list]) => [
        path,
        Object.fromEntries(list.map(({ method, operation }) => [method.toLowerCase(), operation])),
      ]),
    ),
    components: componentsOf(Object.assign({}, ...described.map(({ schemas }) => schemas))),
  }
}

function componentsOf(own: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const components = openApiComponents()
  const schemas = components['schemas'] as Readonly<
    Record<string, { properties: Record<string, JsonSchema> }>
  >
  return {
    ...components,
    // The bodies of the profile define the trace inline; bodies of the service refer to this copy.
    schemas: { ...schemas, trace: schemas['error']?.properties['trace'], ...own },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
  }
}

/** An operation in the document, and its components. */
interface Described {
  readonly operation: JsonSchema
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

const JSON_TYPE = 'application/json'

/** Describes an operation: its inputs, their locations, and its outcomes. */
function describeOperation(operation: Operation, all: readonly Operation[]): Described {
  const { id, summary, description } = operation
  const inputs = describeInputs(operation)
  const responses = describeResponses(operation, linksOf(operation, all))
  return {
    operation: {
      operationId: id,
      ...(summary !== undefined && { summary }),
      ...(description !== undefined && { description }),
      ...extensionOf(operation),
      parameters: [...inputs.parameters, ...profileParameters(operation)],
      ...(inputs.body && { requestBody: inputs.body }),
      responses: responses.responses,
    },
    schemas: { ...inputs.schemas, ...responses.schemas },
  }
}

/** Facts without a place in OpenAPI. `agentic init --from` carries them over. */
function extensionOf({ async: canWait, idempotent, approval, streams }: Operation): JsonSchema {
  const facts = {
    ...(streams && { stream: true }),
    ...(canWait && { async: true }),
    ...(idempotent && { idempotent: true }),
    ...(approval && { approval: approval.by === undefined ? { role: approval.role } : { by: approval.by } }),
  }
  return Object.keys(facts).length === 0 ? {} : { 'x-agentic': facts }
}

interface DescribedInputs {
  readonly parameters: readonly JsonSchema[]
  readonly body: JsonSchema | undefined
  readonly schemas: Described['schemas']
}

function describeInputs({ id, jsonSchema = {}, fields, parameters }: Operation): DescribedInputs {
  const { schema, components } = hoistSchema(jsonSchema, safe(id))
  // The schemas of the fields still have the original references, so they are hoisted again.
  const hoisted = (field: InputField) =>
    hoistSchema(
      { ...field.schema, $defs: jsonSchema['$defs'], definitions: jsonSchema['definitions'] },
      safe(id),
    )
  const all = [...fields.values()]
  const inBody = all.filter(({ location }) => location === 'body')
  const elsewhere = all.filter(({ location }) => location !== 'body')
  const unnamed = parameters.filter((name) => !fields.has(name))
  return {
    parameters: [
      ...unnamed.map((name) => ({ name, in: 'path', required: true, schema: asSegment({ type: 'string' }) })),
      ...elsewhere.map((field) => parameter(field, hoisted(field).schema)),
    ],
    body: bodyOf(
      inBody,
      inBody.length === all.length ? schema : objectOf(inBody, (field) => hoisted(field).schema),
    ),
    schemas: components,
  }
}

function parameter({ name, location, required, types, request }: InputField, schema: JsonSchema): JsonSchema {
  // An object in a query or a header is sent as JSON, everything else as text.
  const rule = location === 'path' && types.has('string') ? asSegment(schema) : schema
  const value = types.has('object') ? { content: { [JSON_TYPE]: { schema: rule } } } : { schema: rule }
  return {
    name,
    in: location,
    required: required || location === 'path',
    description: request.question,
    ...value,
  }
}

/** Adds the pattern that the router demands of every path parameter. */
function asSegment(schema: JsonSchema): JsonSchema {
  const pattern = { pattern: SEGMENT_PATTERN }
  return 'pattern' in schema || '$ref' in schema ? { allOf: [schema, pattern] } : { ...schema, ...pattern }
}

function objectOf(fields: readonly InputField[], schemaOf: (field: InputField) => JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field)])),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
  }
}

function bodyOf(fields: readonly InputField[], schema: JsonSchema): JsonSchema | undefined {
  if (fields.length === 0) return undefined
  return { required: fields.some(({ required }) => required), content: { [JSON_TYPE]: { schema } } }
}

const rules = new Map<string, JsonSchema>(
  Object.entries(headerPatterns).map(([name, pattern]) => [name, { pattern }]),
)

// The tenant is optional here although a gateway requires it: clients set it once for all requests.
function profileParameters({ idempotent, approval, async: canWait }: Operation): readonly JsonSchema[] {
  const text = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', ...rules.get(name) },
  })
  return [
    text(headers.tenantId, 'The tenant that the request is for.'),
    text(headers.correlationId, 'The id of the whole exchange; made when absent.'),
    text(headers.requestId, 'The id of this request; made when absent.'),
    ...(idempotent ? [text(headers.idempotencyKey, 'One effect per key, for 24 hours.')] : []),
    ...(approval ? [text(headers.approvalToken, 'The token of the approval that was asked for.')] : []),
    ...(canWait !== false
      ? [text('Prefer', '`respond-async` to be answered at once and poll for the result.')]
      : []),
  ]
}
