import { headerValues } from '@agentic-rest/testing/send-request'
import { expect } from 'vitest'
import { type ErrorCode, refusal } from '../../src/errors.ts'
import type { RawResponse } from './raw-client.ts'

/** A response of `fetch`, read to its end, in the form that raw answers have. */
export async function readFetched(response: Response): Promise<RawResponse> {
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    rawHeaders: [...response.headers].flat(),
    body: await response.text(),
  }
}

interface ExpectedAnswer {
  readonly status: number
  readonly mediaType: string
  readonly body: object
}

/** Holds a typed answer of the gateway against everything that is always true of one. */
function expectAnswer(response: RawResponse, { status, mediaType, body }: ExpectedAnswer): void {
  const trace = {
    correlationId: response.headers['x-correlation-id'],
    requestId: response.headers['x-request-id'],
  }
  expect({ status: response.status, type: response.headers['content-type'] }).toEqual({
    status,
    type: mediaType,
  })
  expect(JSON.parse(response.body)).toEqual({ ...body, trace })
  expect(trace).toEqual({ correlationId: expect.stringMatching(/./), requestId: expect.stringMatching(/./) })
  for (const name of ['x-agentic-profile', 'x-correlation-id', 'x-request-id', 'content-type'])
    expect(headerValues(response, name), name).toHaveLength(1)
  expect(response.headers['x-agentic-profile']).toBe('v0.3')
}

/** A request that is wrong at some places: 422 naming each of them. */
export function expectInvalid(
  response: RawResponse,
  errors: readonly { readonly field: string; readonly message: string }[],
): void {
  expectAnswer(response, {
    status: 422,
    mediaType: 'application/vnd.agentic.validation-error+json',
    body: {
      type: 'validation_failed',
      code: 'VALIDATION_FAILED',
      message: 'The request is not valid.',
      errors,
    },
  })
}

/** A refusal of the gateway's table: `status` is spelled by the test, text and code are the table's. */
export function expectRefusal(response: RawResponse, status: number, code: ErrorCode): void {
  const { type, message } = refusal(code)
  expectAnswer(response, {
    status,
    mediaType: 'application/vnd.agentic.error+json',
    body: { type, code, message },
  })
}

/** A request above a limit of its tenant: 429 with the name of the limit and the seconds to wait. */
export function expectLimitExceeded(
  response: RawResponse,
  limit = 'max_sse_connections_per_tenant',
  retryAfter = 60,
): void {
  const message = `The tenant asks for more than it may have at the moment: the limit ${limit} is reached.`
  expectAnswer(response, {
    status: 429,
    mediaType: 'application/vnd.agentic.error+json',
    body: { type: 'error', code: 'LIMIT_EXCEEDED', message, retryAfter },
  })
  expect(response.headers['retry-after']).toBe(String(retryAfter))
}

const bareReasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  413: 'Content Too Large',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
}

/** Malformed HTTP: a bare status and the end of the connection, without anything of the profile. */
export function expectBare(text: string, status: number): void {
  expect(text).toBe(
    `HTTP/1.1 ${status} ${bareReasons[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  )
}
