import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { readTraceparent, spanTime, traceIdOf } from './span.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

it('takes the bytes of a UUID as the trace id, in either case', () => {
  expect(traceIdOf('4BF92F35-77b3-4da6-a3ce-929d0e0e4736')).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
})

it.each([
  'order-42',
  '4bf92f3577b34da6a3ce929d0e0e4736',
  '{4bf92f35-77b3-4da6-a3ce-929d0e0e4736}',
  'x'.repeat(256),
  ' ',
  '4bf92f35-77b3-4da6-a3ce-929d0e0e473',
  '4bf92f35-77b3-4da6-a3ce-929d0e0e473g',
  '4bf92f35-77b3-4da6-a3ce-929d0e0e473ÿ',
  '4bf92f35077b3-4da6-a3ce-929d0e0e4736',
  '-bf92f35-77b3-4da6-a3ce-929d0e0e4736',
])('takes the beginning of the SHA-256 of %j', (id) => {
  expect(traceIdOf(id)).toBe(sha256(id))
})

it('never makes the trace id that means none', () => {
  const nil = '00000000-0000-0000-0000-000000000000'
  expect(traceIdOf(nil)).toBe(sha256(nil))
})

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'

it('reads later versions with more fields', () => {
  expect(readTraceparent(`cc-${trace}-${span}-00-more`)).toEqual({
    traceId: trace,
    spanId: span,
    traceFlags: 0,
  })
})

it.each([
  undefined,
  '',
  `00-${trace}-${span}`,
  `00-${trace}-${span}-01-more`,
  `00-${trace}-${span}-1`,
  `ff-${trace}-${span}-01`,
  `00-${trace.toUpperCase()}-${span}-01`,
  `00-${'0'.repeat(32)}-${span}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace}-${span}-01, 00-${trace}-${span}-01`,
  ` 00-${trace}-${span}-01`,
  `00-${trace}-${span}-01\n`,
])('reads no context from %j', (header) => {
  expect(readTraceparent(header)).toBeUndefined()
})

it('writes times in seconds and nanoseconds', () => {
  expect(spanTime(1_700_000_000_123)).toEqual([1_700_000_000, 123_000_000])
  expect(spanTime(0.5)).toEqual([0, 500_000])
})
