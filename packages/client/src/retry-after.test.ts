import type { Outcome } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { attachAnswer } from './answer.ts'
import { retryAfterMs } from './retry-after.ts'

const now = Date.UTC(2026, 0, 1)

function waitOf(field: string | undefined, outcome: Outcome = { type: 'success', body: 1 }) {
  const headers = new Headers(field === undefined ? {} : { 'Retry-After': field })
  const trace = { correlationId: 'c', requestId: 'r' }
  return retryAfterMs(attachAnswer({ ...outcome }, { status: 200, headers, trace, profile: undefined }), now)
}

test.each([
  ['3', 3000],
  ['0', 0],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5000],
  ['Wed, 31 Dec 2025 00:00:00 GMT', 0],
  ['-1', undefined],
  ['5.5', undefined],
  ['soon', undefined],
  ['Mon, nonsense', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %j milliseconds', (field, milliseconds) => {
  expect(waitOf(field)).toBe(milliseconds)
})

test('the body says it where a page may not read the header', () => {
  const limited = {
    type: 'error',
    code: 'X',
    message: 'Y',
    condition: 'limit_exceeded',
    retryAfter: 4,
  } as const
  expect(waitOf(undefined, limited)).toBe(4000)
  expect(waitOf('7', limited)).toBe(7000)
})
