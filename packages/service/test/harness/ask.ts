import { expect } from 'vitest'

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** A request, with a tenant, a subject and both ids by default. */
export interface Asking {
  readonly method?: string
  /** `undefined` removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent unchanged. */
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

/** The ids of every request of `ask`. */
export const trace = { correlationId: 'corr-1', requestId: 'req-1' }

const usualHeaders = {
  'x-tenant-id': 'acme',
  'x-actor-subject': 'alice',
  'x-correlation-id': trace.correlationId,
  'x-request-id': trace.requestId,
}

/** Sends one request over a real socket. */
export async function ask(url: string, asking: Asking = {}): Promise<Answer> {
  const { json, body, signal } = asking
  const sent = json === undefined ? body : JSON.stringify(json)
  const all = {
    ...usualHeaders,
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...asking.headers,
  }
  const headers = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const response = await fetch(url, {
    method: asking.method ?? (sent === undefined ? 'GET' : 'POST'),
    headers,
    redirect: 'manual',
    ...(sent !== undefined && { body: sent }),
    ...(signal && { signal }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const mediaTypes: Readonly<Record<number, string>> = {
  200: 'application/json',
  201: 'application/json',
  202: 'application/vnd.agentic.operation+json',
  400: 'application/vnd.agentic.clarification+json',
  409: 'application/vnd.agentic.conflict+json',
  412: 'application/vnd.agentic.approval-required+json',
  422: 'application/vnd.agentic.validation-error+json',
}

/** Checks the invariants of an answer and its whole body. */
export function expectAnswer(answer: Answer, status: number, body: object): void {
  expect({ status: answer.status, body: JSON.parse(answer.text) }).toEqual({
    status,
    body: { ...body, trace },
  })
  expect(answer.headers.get('content-type')).toBe(mediaTypes[status] ?? 'application/vnd.agentic.error+json')
  expect(answer.headers.get('x-agentic-profile')).toBe('v0.3')
  expect(answer.headers.get('x-correlation-id')).toBe(trace.correlationId)
  expect(answer.headers.get('x-request-id')).toBe(trace.requestId)
}

/** The answer to an invalid request. */
export function expectInvalid(answer: Answer, errors: readonly { field: string; message: string }[]): void {
  expectAnswer(answer, 422, {
    type: 'validation_failed',
    code: 'VALIDATION_FAILED',
    message: 'The request is not valid.',
    errors,
  })
}

/** The question for missing inputs. */
export function expectQuestion(answer: Answer, requiredInputs: readonly { readonly name: string }[]): void {
  expectAnswer(answer, 400, {
    type: 'clarification_required',
    code: 'CLARIFICATION_REQUIRED',
    message: `The operation needs more input: ${requiredInputs.map(({ name }) => name).join(', ')}.`,
    requiredInputs,
  })
}
