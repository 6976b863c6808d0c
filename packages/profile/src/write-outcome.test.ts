import { expect, it } from 'vitest'
import type { Outcome } from './outcome.ts'
import { writeOutcome } from './write-outcome.ts'

const trace = { correlationId: 'c', requestId: 'r' }
const bodyOf = (body: unknown) => writeOutcome({ type: 'success', body }, trace).body

it('adds the trace to object bodies of the service and to nothing else', () => {
  expect(bodyOf({ id: 1 })).toBe('{"id":1,"trace":{"correlationId":"c","requestId":"r"}}')
  expect([bodyOf([1]), bodyOf('x'), bodyOf(null), bodyOf(undefined)]).toEqual(['[1]', '"x"', 'null', 'null'])
})

it('stamps an old trace anew and leaves another meaning of the name alone', () => {
  expect(JSON.parse(bodyOf({ trace: { correlationId: 'old', requestId: 'old' } }))).toEqual({ trace })
  expect(JSON.parse(bodyOf({ trace: 'mine' }))).toEqual({ trace: 'mine' })
})

it('leaves a value that serialises itself whole', () => {
  expect(bodyOf(new Date(0))).toBe('"1970-01-01T00:00:00.000Z"')
})

it('writes a limit with the same seconds in header and body', () => {
  const outcome: Outcome = {
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message: 'Too many.',
    condition: 'limit_exceeded',
    retryAfter: 60,
  }
  const written = writeOutcome(outcome, trace)
  expect(written.status).toBe(429)
  expect(written.headers['Retry-After']).toBe('60')
  expect(JSON.parse(written.body)).toEqual({
    type: 'error',
    code: 'LIMIT_EXCEEDED',
    message: 'Too many.',
    retryAfter: 60,
    trace,
  })
})

it('refuses to write what could not be read', () => {
  const empty = { type: 'clarification_required', message: '', requiredInputs: [] } as unknown as Outcome
  expect(() => writeOutcome(empty, trace)).toThrow('/requiredInputs must not be empty')
  const late: Outcome = { type: 'error', code: 'X', message: '', retryAfter: 1 }
  expect(() => writeOutcome(late, trace)).toThrow('retryAfter belongs to the condition limit_exceeded alone')
  const anonymous = { correlationId: '', requestId: 'r' }
  expect(() => writeOutcome({ type: 'error', code: 'X', message: '' }, anonymous)).toThrow(
    '/trace/correlationId',
  )
})
