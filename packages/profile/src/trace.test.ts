import { expect, it } from 'vitest'
import { compareTrace, isTrace, readTrace } from './trace.ts'

const trace = { correlationId: 'c-1', requestId: 'r-1' }

it('reads both ids from a record in any spelling and from Headers', () => {
  const expected = { ...trace, invalidHeaders: [] }
  expect(readTrace({ 'x-correlation-id': 'c-1', 'X-REQUEST-ID': 'r-1' })).toEqual(expected)
  expect(readTrace(new Headers({ 'X-Correlation-ID': 'c-1', 'X-Request-ID': 'r-1' }))).toEqual(expected)
})

it('takes an empty or absent header as absent', () => {
  expect(readTrace({ 'x-correlation-id': '' })).toEqual({
    correlationId: undefined,
    requestId: undefined,
    invalidHeaders: [],
  })
})

it.each(['caf\u00e9', 'a\u0000b', 'tab\there', 'x'.repeat(257), 'line\nbreak'])(
  'names the header that holds %j',
  (value) => {
    expect(readTrace({ 'x-request-id': value }).invalidHeaders).toEqual(['X-Request-ID'])
  },
)

it('accepts 256 printable characters', () => {
  expect(readTrace({ 'x-request-id': '~'.repeat(256) }).invalidHeaders).toEqual([])
})

it.each([
  [trace, 'match'],
  [{ ...trace, extra: 1 }, 'match'],
  [{ ...trace, requestId: 'r-2' }, 'mismatch'],
  [{ ...trace, correlationId: 'C-1' }, 'mismatch'],
  [{ ...trace, correlationId: '' }, 'missing'],
  [{ ...trace, requestId: 7 }, 'missing'],
  [{ correlationId: 'c-1' }, 'missing'],
  [['c-1', 'r-1'], 'missing'],
  ['c-1', 'missing'],
  [null, 'missing'],
  [undefined, 'missing'],
] as const)('compares %j: %s', (value, expected) => {
  expect(compareTrace(value, trace)).toBe(expected)
  expect(isTrace(value)).toBe(expected !== 'missing')
})
