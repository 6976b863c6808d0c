import {
  fillTemplate,
  isObject,
  mediaTypeEssence,
  type OutcomeType,
  outcomes,
  outcomeTypes,
  printable,
} from '@agentic-rest/profile'
import { stringify } from 'yaml'
import { isOpenApi } from '../offline/openapi-faults.ts'
import { createReferences } from '../offline/references.ts'
import type { Scenario } from '../scenario/scenario-schema.ts'
import { createSampler } from './sample-value.ts'

/** A scenario could not be drafted from a document. */
export class DraftError extends Error {
  override readonly name = 'DraftError'
}

const EVENT_STREAM = 'text/event-stream'

const head = `# The requests that "agentic conformance" sends to observe each outcome. Drafted from the OpenAPI document of this service.
#
# An outcome without a request is reported as not observed, never as passed. \${NAME} is a variable of the environment, so
# that this file has no secret; {{uuid}} is a new id, {{name}} a value captured by a step of \`setup\`.
target: gateway
tokens:
  caller: { env: TOKEN }
token: caller
tenant: \${TENANT:-acme}
`

/** Drafts a scenario file from an OpenAPI document. Gaps are left as comments. */
export function draftScenario(document: unknown): string {
  if (!isOpenApi(document) || !isObject(document['paths']))
    throw new DraftError('this is not an OpenAPI document with paths')
  const operations = readOperations(document)
  return [
    head,
    'outcomes:',
    ...outcomeTypes.map((type) => draftOutcome(type, operations)),
    draftStream(operations),
  ].join('\n')
}

/** The request for each outcome that can be derived from the example. */
const knownWays: Readonly<Partial<Record<OutcomeType, (operation: OperationSketch) => object>>> = {
  success: (operation) => requestOf(operation, operation.body),
  created: (operation) => requestOf(operation, operation.body),
  accepted: (operation) => ({
    ...requestOf(operation, operation.body),
    headers: { Prefer: 'respond-async' },
  }),
  clarification_required: (operation) => requestOf(operation, {}),
  // No operation accepts a number as its body.
  validation_failed: (operation) => requestOf(operation, 42),
}

function draftOutcome(type: OutcomeType, operations: readonly OperationSketch[]): string {
  const status = String(outcomes[type].status)
  const operation = operations.find(({ responses }) =>
    responses.get(status)?.every((name) => name !== EVENT_STREAM),
  )
  if (operation === undefined) return comment(`${type}: no operation of the document answers with ${status}.`)
  const way = knownWays[type]
  const request = (way ?? knownWays.success)?.(operation) ?? {}
  const text = stringify({ [type]: { request } }).trimEnd()
  if (way === undefined)
    return comment(
      `${type}: this operation can answer with ${status}; change the request so that it does.\n${text}`,
    )
  const remark = operation.invented
    .map((name) => `# ${printable(name)} is invented: replace it by a real one.\n`)
    .join('')
  return indent(`${remark}${text}`)
}

function draftStream(operations: readonly OperationSketch[]): string {
  const streaming = operations.find(({ responses }) =>
    responses.get(String(outcomes.success.status))?.includes(EVENT_STREAM),
  )
  if (streaming === undefined) return '# stream: no operation of the document is a stream.\n'
  return `# It has to last for some tenths of a second.\n${stringify({ stream: { request: requestOf(streaming, streaming.body) } })}`
}

function requestOf({ method, path }: OperationSketch, body: unknown): object {
  const takesBody = method !== 'GET' && method !== 'DELETE' && body !== undefined
  return { method, path, ...(takesBody && { body }) }
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '  ')
}

function comment(text: string): string {
  return text.replaceAll(/^/gm, '  # ')
}

type Method = NonNullable<Scenario['stream']>['request']['method']

/** The parts of an OpenAPI operation that a scenario needs. */
interface OperationSketch {
  readonly method: Method
  /** The path with example values for its parameters. */
  readonly path: string
  /** Path parameters without an example in the document. */
  readonly invented: readonly string[]
  /** An example body, if the operation has one. */
  readonly body: unknown
  /** The media types of each status, as in the document. */
  readonly responses: ReadonlyMap<string, readonly string[]>
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const satisfies readonly Method[]

/** The operations of an OpenAPI document, in its order. */
function readOperations(document: Readonly<Record<string, unknown>>): OperationSketch[] {
  const references = createReferences(document, () => undefined)
  const object = (value: unknown): Readonly<Record<string, unknown>> => {
    const followed = references.follow(value)
    return isObject(followed) ? followed : {}
  }
  const sample = createSampler(references)
  return Object.entries(object(document['paths'])).flatMap(([template, item]) =>
    methods.flatMap((method): OperationSketch[] => {
      const operation = object(item)[method.toLowerCase()]
      if (!isObject(operation)) return []
      const parameters = [...listOf(object(item)['parameters']), ...listOf(operation['parameters'])].map(
        object,
      )
      return [
        {
          method,
          ...fillPath(template, parameters, sample),
          body: bodyExample(object(operation['requestBody']), sample),
          responses: new Map(
            Object.entries(object(operation['responses'])).map(([status, response]) => [
              status,
              Object.keys(object(object(response)['content'])).flatMap(
                (name) => mediaTypeEssence(name) ?? [],
              ),
            ]),
          ),
        },
      ]
    }),
  )
}

type Sample = ReturnType<typeof createSampler>

function fillPath(
  template: string,
  parameters: readonly Readonly<Record<string, unknown>>[],
  sample: Sample,
): Pick<OperationSketch, 'path' | 'invented'> {
  const invented: string[] = []
  const path = fillTemplate(template, (name) => {
    const parameter = parameters.find((each) => each['in'] === 'path' && each['name'] === name)
    const value = parameter?.['example'] ?? sample.given(parameter?.['schema'])
    if (value === undefined) invented.push(name)
    return String(value ?? `some-${name}`)
  })
  const query = parameters
    .filter((each) => each['in'] === 'query' && each['required'] === true)
    .map((each): [string, string] => [
      String(each['name']),
      String(each['example'] ?? sample.make(each['schema'])),
    ])
  return { path: query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`, invented }
}

function bodyExample(requestBody: Readonly<Record<string, unknown>>, sample: Sample): unknown {
  const content = requestBody['content']
  const media = isObject(content) ? Object.values(content).find(isObject) : undefined
  if (media === undefined) return undefined
  const named = isObject(media['examples'])
    ? Object.values(media['examples']).find(isObject)?.['value']
    : undefined
  return media['example'] ?? named ?? sample.make(media['schema'])
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
