import { expect, test } from 'vitest'
import type { Exchange } from '../exchange.ts'
import { sendJson, sendOwn } from './own-answer.ts'

const own = [
  ['X-Agentic-Profile', 'v0.3'],
  ['X-Correlation-ID', 'corr-1'],
  ['X-Request-ID', 'req-1'],
].flat()

function exchangeWith(method: string, state: { isClosed?: boolean; isHeadSent?: boolean } = {}) {
  const calls: unknown[][] = []
  const note =
    (name: string) =>
    (...values: unknown[]) =>
      void calls.push([name, ...values.map((value) => (Buffer.isBuffer(value) ? String(value) : value))])
  const reply = { isClosed: false, isHeadSent: false, ...state }
  Object.assign(reply, { head: note('head'), end: note('end'), destroy: note('destroy') })
  const trace = { correlationId: 'corr-1', requestId: 'req-1' }
  const limitHeaders = ['RateLimit-Policy', '"a";q=1;w=1']
  return { exchange: { method, reply, trace, limitHeaders } as unknown as Exchange, calls }
}

test('a value leaves as JSON that no cache keeps, with the trace, its length and the limits', () => {
  const { exchange, calls } = exchangeWith('GET')
  sendJson(exchange, { status: 'ok' })
  const type = ['Content-Type', 'application/json', 'Cache-Control', 'no-store']
  const rest = ['Content-Length', '15', 'RateLimit-Policy', '"a";q=1;w=1']
  expect(calls).toEqual([
    ['head', 200, [...type, ...own, ...rest]],
    ['end', '{"status":"ok"}'],
  ])
})

test('an answer to HEAD has the length of the body that it does not have', () => {
  const { exchange, calls } = exchangeWith('HEAD')
  sendOwn(exchange, { status: 200, body: Buffer.from('page') })
  expect(calls).toEqual([
    ['head', 200, [...own, 'Content-Length', '4', 'RateLimit-Policy', '"a";q=1;w=1']],
    ['end', undefined],
  ])
})

test('nothing is sent to a client that left', () => {
  const { exchange, calls } = exchangeWith('GET', { isClosed: true })
  sendJson(exchange, {})
  expect(calls).toEqual([])
})

test('a connection with a part of another answer is cut', () => {
  const { exchange, calls } = exchangeWith('GET', { isHeadSent: true })
  sendJson(exchange, {})
  expect(calls).toEqual([['destroy']])
})
