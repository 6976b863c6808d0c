import { expect, it } from 'vitest'
import {
  conditionOf,
  conditions,
  malformedStatuses,
  outcomes,
  outcomeTypeOf,
  outcomeTypes,
} from './outcomes.ts'

it('is the normative table, row by row', () => {
  expect(outcomeTypes.map((type) => [type, outcomes[type].status, outcomes[type].mediaType])).toEqual([
    ['success', 200, 'application/json'],
    ['created', 201, 'application/json'],
    ['accepted', 202, 'application/vnd.agentic.operation+json'],
    ['clarification_required', 400, 'application/vnd.agentic.clarification+json'],
    ['validation_failed', 422, 'application/vnd.agentic.validation-error+json'],
    ['approval_required', 412, 'application/vnd.agentic.approval-required+json'],
    ['forbidden', 403, 'application/vnd.agentic.error+json'],
    ['conflict', 409, 'application/vnd.agentic.conflict+json'],
    ['failed_dependency', 424, 'application/vnd.agentic.error+json'],
    ['error', 500, 'application/vnd.agentic.error+json'],
  ])
})

it('finds the type of each of its statuses and of no other', () => {
  for (const type of outcomeTypes) expect(outcomeTypeOf(outcomes[type].status)).toBe(type)
  expect([204, 301, 401, 418, 502].map(outcomeTypeOf)).toEqual(Array(5).fill(undefined))
})

it('has six conditions outside the ten', () => {
  expect(conditions).toEqual({
    unauthenticated: 401,
    not_found: 404,
    method_not_allowed: 405,
    too_large: 413,
    limit_exceeded: 429,
    unavailable: 503,
  })
  expect([401, 404, 500].map(conditionOf)).toEqual(['unauthenticated', 'not_found', undefined])
})

it('has the bare statuses of malformed HTTP', () => {
  expect(malformedStatuses).toEqual({
    badRequest: 400,
    requestTimeout: 408,
    contentTooLarge: 413,
    uriTooLong: 414,
    headersTooLarge: 431,
  })
})
