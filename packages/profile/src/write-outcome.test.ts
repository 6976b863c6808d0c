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

it('takes an optional field that is undefined as absent', () => {
  const outcome = {
    type: 'conflict',
    code: 'X',
    message: '',
    conflictingResourceId: undefined,
  } as unknown as Outcome
  expect(JSON.parse(writeOutcome(outcome, trace).body)).toEqual({
    type: 'conflict',
    code: 'X',
    message: '',
    trace,
  })
})

it('keeps what a service puts beside two ids of its own', () => {
  const own = { correlationId: 'a', requestId: 'b', spans: 3 }
  expect(JSON.parse(bodyOf({ trace: own }))).toEqual({ trace: own })
})

it.each([
  [
    'an empty list',
    { type: 'clarification_required', message: '', requiredInputs: [] },
    '/requiredInputs must not be empty',
  ],
  [
    'holes in a list',
    { type: 'validation_failed', message: '', errors: Array(2) },
    '/errors/0 must be an object',
  ],
  [
    'a time to wait elsewhere',
    { type: 'error', code: 'X', message: '', retryAfter: 1 },
    'retryAfter belongs to',
  ],
  [
    'an unknown condition',
    { type: 'error', code: 'X', message: '', condition: 'toString' },
    'no condition "toString"',
  ],
])('refuses to write %s', (_title, outcome, message) => {
  expect(() => writeOutcome(outcome as unknown as Outcome, trace)).toThrow(message)
})

it.each(['', 'a\r\nX-Evil: 1', 'x'.repeat(257), undefined, { toString: () => 'a' }])(
  'refuses the id %j, also for bodies of the service',
  (id) => {
    const broken = { correlationId: 'c', requestId: id as string }
    expect(() => writeOutcome({ type: 'success', body: {} }, broken)).toThrow('both ids of a trace')
    expect(() => writeOutcome({ type: 'error', code: 'X', message: '' }, broken)).toThrow(
      'both ids of a trace',
    )
  },
)
