import { type OutcomeType, outcomes, outcomeTypes } from '@agentic-rest/profile'
import { stringify } from 'yaml'
import { isObject } from '../offline/fault.ts'
import { isOpenApi } from '../offline/openapi-faults.ts'
import { printable } from '../report/printable.ts'
import { type OperationSketch, readOperations } from './read-operations.ts'

/** A scenario could not be drafted from a document. */
export class DraftError extends Error {
  override readonly name = 'DraftError'
}

const EVENT_STREAM = 'text/event-stream'

const head = `# How "agentic conformance" provokes each outcome of this service. Drafted from its OpenAPI document.
#
# A row without a request is reported as not observed, never as passed. \${NAME} is filled in from the environment, so
# that no secret is in this file; {{uuid}} is a fresh id, {{name}} a value that a step of \`setup\` has captured.
target: gateway
tokens:
  caller: { env: TOKEN }
token: caller
tenant: \${TENANT:-acme}
`

/** Drafts a scenario file from an OpenAPI document. What cannot be known from it is left as comments. */
export function draftScenario(document: unknown): string {
  if (!isOpenApi(document) || !isObject(document['paths']))
    throw new DraftError('this is no OpenAPI document with paths')
  const operations = readOperations(document)
  return [
    head,
    'outcomes:',
    ...outcomeTypes.map((type) => draftOutcome(type, operations)),
    draftStream(operations),
  ].join('\n')
}

/** How the request has to differ from the example, where that can be known. */
const knownWays: Readonly<Partial<Record<OutcomeType, (operation: OperationSketch) => object>>> = {
  success: (operation) => requestOf(operation, operation.body),
  created: (operation) => requestOf(operation, operation.body),
  accepted: (operation) => ({
    ...requestOf(operation, operation.body),
    headers: { Prefer: 'respond-async' },
  }),
  clarification_required: (operation) => requestOf(operation, {}),
  // No operation takes a bare number for its body.
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
    .map((name) => `# ${printable(name)} is invented: put in one that exists.\n`)
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
