import {
  isObject,
  isVendorType,
  mediaTypeEssence,
  outcomes,
  outcomeTypeOf,
  outcomeTypes,
  type SchemaName,
} from '@agentic-rest/profile'
import { below, currentValidator, type FileFault } from './file-faults.ts'
import { createReferences, type OtherDocument, type References } from './references.ts'

type Json = Readonly<Record<string, unknown>>

interface Place {
  readonly references: References
  readonly pointer: string
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']
const EVENT_STREAM = 'text/event-stream'

/** Whether a document is an OpenAPI description. */
export function isOpenApi(document: unknown): document is Json {
  return isObject(document) && ('openapi' in document || 'swagger' in document)
}

/** The faults of an OpenAPI document: media types, references, traces, and examples of profile bodies. */
export function openApiFaults(document: Json, other: OtherDocument): FileFault[] {
  if (typeof document['openapi'] !== 'string' || !/^3\.\d/.test(document['openapi']))
    return [fault('/openapi', 'version', 'must be an OpenAPI version 3')]
  const references = createReferences(document, other)
  const paths = isObject(document['paths']) ? document['paths'] : {}
  const components = isObject(document['components']) ? document['components'] : {}
  const shared = isObject(components['responses']) ? components['responses'] : {}
  return [
    ...references.faults(),
    ...Object.entries(paths).flatMap(([path, item]) =>
      operationFaults(item, { references, pointer: below('/paths', path) }),
    ),
    // An unused response has no status, but its bodies are checked.
    ...Object.entries(shared).flatMap(([name, response]) =>
      contentFaults(response, { references, pointer: below('/components/responses', name) }),
    ),
  ]
}

function operationFaults(item: unknown, { references, pointer }: Place): FileFault[] {
  if (!isObject(item)) return []
  return methods.flatMap((method) => {
    const operation = item[method]
    const responses = isObject(operation) ? operation['responses'] : undefined
    if (!isObject(responses)) return []
    return Object.entries(responses).flatMap(([status, response]) =>
      responseFaults(status, response, { references, pointer: below(pointer, method, 'responses', status) }),
    )
  })
}

function responseFaults(status: string, given: unknown, { references, pointer }: Place): FileFault[] {
  const response = references.follow(given)
  if (!isObject(response)) return []
  const content = isObject(response['content']) ? response['content'] : {}
  const isReference = isObject(given) && '$ref' in given
  return [
    ...mediaTypeFaults(status, Object.keys(content), pointer),
    ...(isReference ? [] : contentFaults(response, { references, pointer })),
  ]
}

function mediaTypeFaults(status: string, given: readonly string[], pointer: string): FileFault[] {
  const type = /^\d{3}$/.test(status) ? outcomeTypeOf(Number(status)) : undefined
  const allowed = type === undefined ? errorTypes(status) : [outcomes[type].mediaType]
  const wrong = given.filter((name) => {
    const essence = mediaTypeEssence(name)
    if (type === undefined) return isVendorType(essence) && !allowed.includes(essence ?? '')
    return !allowed.includes(essence ?? '') && !(type === 'success' && essence === EVENT_STREAM)
  })
  const faults = wrong.map((name) =>
    fault(
      below(pointer, 'content', name),
      'media_type',
      `status ${status} has media type ${allowed.join(' or ')}`,
    ),
  )
  const isMissing = type !== undefined && outcomes[type].schema !== null && given.length === 0
  return isMissing
    ? [...faults, fault(pointer, 'content', `status ${status} has media type ${allowed}`)]
    : faults
}

/** A status outside the ten outcomes has the generic error body. A range or `default` may have any media type of the table. */
function errorTypes(status: string): readonly string[] {
  if (/^\d{3}$/.test(status)) return [outcomes.error.mediaType]
  return [...new Set(outcomeTypes.map((type) => outcomes[type].mediaType).filter(isVendorType))]
}

function contentFaults(given: unknown, { references, pointer }: Place): FileFault[] {
  const response = references.follow(given)
  const content = isObject(response) && isObject(response['content']) ? response['content'] : {}
  return Object.entries(content).flatMap(([mediaType, value]) => {
    const schema = schemaNames.get(mediaTypeEssence(mediaType) ?? '')
    if (schema === undefined || !isObject(value)) return []
    const place = { references, pointer: below(pointer, 'content', mediaType) }
    return [...schemaFaults(value['schema'], place), ...exampleFaults(value, schema, place)]
  })
}

const schemaNames = new Map<string, SchemaName>(
  outcomeTypes.flatMap((type) => {
    const { mediaType, schema } = outcomes[type]
    return schema === null ? [] : [[mediaType, schema] as const]
  }),
)

function schemaFaults(given: unknown, { references, pointer }: Place): FileFault[] {
  if (given === undefined) return [fault(pointer, 'schema', 'has no schema')]
  return demandsTrace(given, references, 0)
    ? []
    : [fault(below(pointer, 'schema'), 'trace', 'does not require trace')]
}

const DEEPEST = 20

function demandsTrace(given: unknown, references: References, depth: number): boolean {
  const schema = references.follow(given)
  // A broken reference is reported separately.
  if (schema === undefined || depth > DEEPEST) return true
  if (!isObject(schema)) return false
  const { required, allOf, oneOf, anyOf } = schema
  if (Array.isArray(required) && required.includes('trace')) return true
  const demands = (each: unknown) => demandsTrace(each, references, depth + 1)
  if (Array.isArray(allOf) && allOf.some(demands)) return true
  return [oneOf, anyOf].some((list) => Array.isArray(list) && list.length > 0 && list.every(demands))
}

function exampleFaults(value: Json, schema: SchemaName, { references, pointer }: Place): FileFault[] {
  const named = isObject(value['examples']) ? Object.entries(value['examples']) : []
  const examples = [
    ...('example' in value ? [{ at: below(pointer, 'example'), body: value['example'] }] : []),
    ...named.flatMap(([name, given]) => {
      const example = references.follow(given)
      if (!isObject(example) || !('value' in example)) return []
      return [{ at: below(pointer, 'examples', name, 'value'), body: example['value'] }]
    }),
  ]
  return examples.flatMap(({ at, body }) =>
    currentValidator
      .validateAs(schema, body)
      .errors.map((error) => fault(`${at}${error.pointer}`, error.rule, error.message)),
  )
}

function fault(pointer: string, rule: string, message: string): FileFault {
  return { pointer, rule, message }
}
