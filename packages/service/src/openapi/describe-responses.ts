import {
  EVENT_STREAM_TYPE,
  type OutcomeType,
  openApiComponents,
  outcomes,
  outcomeTypes,
} from '@agentic-rest/profile'
import { type JsonSchema, outputJsonSchemaOf } from '../input/json-schema.ts'
import type { Operation } from '../operation.ts'
import { hoistSchema, safe } from './hoist-schema.ts'
import type { Links } from './links.ts'

/** The responses of an operation by status, and their components. */
interface DescribedResponses {
  readonly responses: Readonly<Record<string, JsonSchema>>
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

type ServiceBody = 'success' | 'created'

/** Describes every typed response of an operation. HTTP conditions outside the ten outcomes are the default response. */
export function describeResponses(operation: Operation, links: Links): DescribedResponses {
  const described = possibleOutcomes(operation).map(
    (type) => [type, withStream(withLinks(describe(operation, type), type, links), type, operation)] as const,
  )
  return {
    responses: {
      ...Object.fromEntries(described.map(([type, { response }]) => [outcomes[type].status, response])),
      default: reference('error'),
    },
    schemas: Object.assign({}, ...described.map(([, { schemas }]) => schemas)),
  }
}

/** The possible outcomes: those of `run`, stated or guessed, and those of the service itself. */
function possibleOutcomes(operation: Operation): readonly OutcomeType[] {
  const { outcomes: stated, fields, idempotent, approval, async: canWait, streams } = operation
  const possible = new Set<OutcomeType>(stated ?? unstated(operation))
  // Any request can have a malformed id, lack a tenant, or fail.
  for (const type of ['validation_failed', 'forbidden', 'error'] as const) possible.add(type)
  if ([...fields.values()].some(({ required }) => required)) possible.add('clarification_required')
  if (idempotent) possible.add('conflict')
  if (approval !== undefined) possible.add('approval_required')
  if (canWait !== false) possible.add('accepted')
  if (streams) possible.add('success')
  return outcomeTypes.filter((type) => possible.has(type))
}

function unstated({ method, output }: Operation): readonly OutcomeType[] {
  const bodies = (Object.keys(output) as ServiceBody[]).filter((type) => output[type] !== undefined)
  const usual: readonly ServiceBody[] = method === 'GET' ? ['success'] : ['success', 'created']
  const successes: readonly OutcomeType[] = bodies.length > 0 ? bodies : usual
  const others = outcomeTypes.filter(
    (type) => type !== 'success' && type !== 'created' && type !== 'accepted',
  )
  return [...successes, ...others]
}

interface DescribedResponse {
  readonly response: JsonSchema
  readonly schemas: DescribedResponses['schemas']
}

function describe({ id, output }: Operation, type: OutcomeType): DescribedResponse {
  const source = type === 'success' || type === 'created' ? output[type] : undefined
  const schema = source && outputJsonSchemaOf(source)
  if (schema === undefined) return { response: reference(type), schemas: {} }
  const hoisted = hoistSchema(schema, `${safe(id)}.${type}`)
  const { responses } = openApiComponents() as { responses: Record<OutcomeType, JsonSchema> }
  const content = { [outcomes[type].mediaType]: { schema: withTrace(hoisted.schema) } }
  return { response: { ...responses[type], content }, schemas: hoisted.components }
}

/** Adds links to a response. A reference cannot have them beside it, so the component is copied. */
function withLinks(described: DescribedResponse, type: OutcomeType, all: Links): DescribedResponse {
  const links = all.get(type)
  if (links === undefined) return described
  return { ...described, response: { ...copied(described, type), links } }
}

/** Every stream has the status of a success. Its media type has the schema of one event. */
function withStream(
  described: DescribedResponse,
  type: OutcomeType,
  operation: Operation,
): DescribedResponse {
  const { id, streams, event } = operation
  if (!streams || type !== 'success') return described
  const response = copied(described, type)
  const schema = event && outputJsonSchemaOf(event)
  const hoisted = schema && hoistSchema(schema, `${safe(id)}.event`)
  const media = hoisted === undefined ? {} : { schema: hoisted.schema }
  const content = { ...(response['content'] as JsonSchema), [EVENT_STREAM_TYPE]: media }
  return {
    response: { ...response, content },
    schemas: { ...described.schemas, ...hoisted?.components },
  }
}

function copied({ response }: DescribedResponse, type: OutcomeType): JsonSchema {
  const { responses } = openApiComponents() as { responses: Record<OutcomeType, JsonSchema> }
  return '$ref' in response ? responses[type] : response
}

/** The encoder adds the trace to object bodies, so a closed schema must allow it (decision 32). */
function withTrace(schema: JsonSchema): JsonSchema {
  const { properties } = schema
  if (typeof properties !== 'object' || properties === null) return schema
  return { ...schema, properties: { ...properties, trace: { $ref: '#/components/schemas/trace' } } }
}

function reference(type: OutcomeType): JsonSchema {
  return { $ref: `#/components/responses/${type}` }
}
