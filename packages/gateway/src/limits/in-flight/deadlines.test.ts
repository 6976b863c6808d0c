import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeExchange } from '../../../test/plugins/make-exchange.ts'
import { LOOK_INTERVAL_MS, setDeadline, startTimers } from './deadlines.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

it('cancels a request at its exact time, wherever its timer started', () => {
  const exchange = makeExchange()
  setDeadline(exchange, performance.now() + 1000)
  vi.advanceTimersByTime(LOOK_INTERVAL_MS - 1)
  expect(vi.getTimerCount()).toBe(0)
  startTimers([exchange])
  startTimers([exchange])
  expect(vi.getTimerCount()).toBe(1)
  vi.advanceTimersByTime(900)
  expect(exchange.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(exchange.signal.reason).toBe('timeout')
})

it('does not wait for the next check where it could come too late', () => {
  const exchange = makeExchange()
  setDeadline(exchange, performance.now() + 2 * LOOK_INTERVAL_MS - 1)
  vi.advanceTimersByTime(2 * LOOK_INTERVAL_MS - 1)
  expect(exchange.signal.reason).toBe('timeout')
})

it('cancels a request that is late already in the next turn', () => {
  const exchange = makeExchange()
  setDeadline(exchange, performance.now() - 5000)
  expect(exchange.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(exchange.signal.reason).toBe('timeout')
})

it('starts no timer for a request without a deadline', () => {
  startTimers([makeExchange()])
  expect(vi.getTimerCount()).toBe(0)
})
