import type { Outcome } from '@agentic-rest/profile'
import { expect, test } from 'vitest'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { refusal } from '../errors.ts'
import { type LimitName, LimitReachedError, refuse, refuseBy, retryAfterOf } from './refuse.ts'

const unavailable = { type: 'error', condition: 'unavailable', code: 'OVERLOADED' }
const exceeded = { type: 'error', condition: 'limit_exceeded', code: 'LIMIT_EXCEEDED' }

test.each<[LimitName, object]>([
  ['max_in_flight', unavailable],
  ['max_buffered_bytes', unavailable],
  ['max_upstream_queue_per_origin', unavailable],
  ['inspection_queue', unavailable],
  ['max_in_flight_per_tenant', { ...exceeded, retryAfter: 1 }],
  ['max_buffered_bytes_per_tenant', { ...exceeded, retryAfter: 1 }],
  ['max_upstream_queue_per_tenant', { ...exceeded, retryAfter: 1 }],
  ['inspection_queue_per_tenant', { ...exceeded, retryAfter: 1 }],
  ['max_sse_connections_per_tenant', { ...exceeded, retryAfter: 60 }],
])('%s refuses with its name', (limit, outcome) => {
  const exchange = makeExchange()
  const { message, ...rest } = refuse(exchange, limit) as Outcome & { message: string }
  expect(rest).toEqual(outcome)
  expect(message).toMatch(new RegExp(`: the limit ${limit} is reached\\.$`))
  expect(exchange.limit).toBe(limit)
  expect(new LimitReachedError(limit).message).toBe(`the limit ${limit} is reached`)
})

test('a policy refuses with its name and its time', () => {
  const exchange = makeExchange()
  const outcome = refuseBy(exchange, 'tokens-a-day', { code: 'BUDGET_EXCEEDED', retryAfter: 3600 })
  expect(outcome).toMatchObject({ code: 'BUDGET_EXCEEDED', retryAfter: 3600 })
  expect(exchange.limit).toBe('tokens-a-day')
})

test('Retry-After of an outcome whose body has none', () => {
  const exchange = makeExchange()
  const of = (outcome: Outcome) => retryAfterOf(exchange, outcome)
  expect([of(refusal('OVERLOADED')), of(refusal('SHUTTING_DOWN'))]).toEqual([1, 1])
  expect([of(refusal('IDEMPOTENCY_IN_PROGRESS')), of(refusal('IDEMPOTENCY_NOT_REPLAYABLE'))]).toEqual([
    1,
    undefined,
  ])
  expect([of(refusal('UPSTREAM_UNAVAILABLE')), of(refusal('ROUTE_NOT_FOUND'))]).toEqual([
    undefined,
    undefined,
  ])
  exchange.retryAfterSeconds = 7
  expect([of(refusal('UPSTREAM_UNAVAILABLE')), of(refusal('ROUTE_NOT_FOUND'))]).toEqual([7, undefined])
})
