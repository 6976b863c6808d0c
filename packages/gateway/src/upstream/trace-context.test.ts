import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { readTraceparent, traceContext, traceIdOf } from './trace-context.ts'

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

const exchange = { trace: { correlationId: 'order-42', requestId: 'r-1' }, spanId: '00f067aa0ba902b7' }

it('gives one exchange the same context however often it is asked', () => {
  const context = traceContext(exchange)
  expect(traceContext({ ...exchange })).toEqual(context)
  expect(context).toEqual({
    traceId: sha256('order-42'),
    spanId: '00f067aa0ba902b7',
    traceparent: `00-${sha256('order-42')}-00f067aa0ba902b7-01`,
  })
})

it('gives two requests with the same ids two spans of one trace', () => {
  const [first, second] = [traceContext(exchange), traceContext({ ...exchange, spanId: '00f067aa0ba902b8' })]
  expect(first.traceId).toBe(second.traceId)
  expect(first.spanId).not.toBe(second.spanId)
})

it('makes a traceparent that it reads itself', () => {
  const { traceId, spanId, traceparent } = traceContext(exchange)
  expect(readTraceparent(traceparent)).toEqual({ traceId, spanId, traceFlags: 1 })
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
