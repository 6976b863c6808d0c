import { createHash } from 'node:crypto'
import { readTraceparent } from '@agentic-rest/profile/span'
import { expect, it } from 'vitest'
import { traceContext } from './trace-context.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32)

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
