import { type Answer, headerValues, ids } from '@agentic-rest/testing/send-request'
import { expect } from 'vitest'
import { type ErrorCode, errorCodes } from '../../src/errors.ts'
import type { ReachedLimit } from '../../src/limits/refuse.ts'

/** A reached limit and its name. */
type NamedLimit = ReachedLimit & { readonly limit: string }

/** The profile header and both ids are there exactly once, whatever the upstream sent. */
export function expectOwnHeaders(answer: Pick<Answer, 'rawHeaders'>): void {
  expect(headerValues(answer, 'x-agentic-profile')).toEqual(['v0.3'])
  expect(headerValues(answer, 'x-correlation-id')).toEqual([ids.correlationId])
  expect(headerValues(answer, 'x-request-id')).toEqual([ids.requestId])
}

const typeByStatus: Readonly<Record<number, string>> = { 403: 'forbidden', 424: 'failed_dependency' }

/** The answer is the gateway's own for a code or a limit: status, media type, headers and the whole body. */
export function expectRefusal(answer: Answer, status: number, refused: ErrorCode | NamedLimit): void {
  const { code, message, ...rest } =
    typeof refused === 'string' ? { code: refused, message: errorCodes[refused].message } : reached(refused)
  expect({
    status: answer.status,
    complete: answer.complete,
    body: JSON.parse(answer.body.toString()),
  }).toEqual({
    status,
    complete: true,
    body: { type: typeByStatus[status] ?? 'error', code, message, ...rest, trace: ids },
  })
  expect(headerValues(answer, 'content-type')).toEqual(['application/vnd.agentic.error+json'])
  expect(headerValues(answer, 'content-length')).toEqual([String(answer.body.length)])
  expectOwnHeaders(answer)
}

function reached({ limit, ...rest }: NamedLimit) {
  const message = errorCodes[rest.code].message.replace(/\.$/, `: the limit ${limit} is reached.`)
  return { ...rest, message }
}
