import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { createLoad } from './load.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A load whose event loop has just been late. */
function lateLoad(maxInFlight: number) {
  const load = createLoad(() => maxInFlight)
  const before = performance.now()
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => before + 1000)
  vi.advanceTimersToNextTimer()
  clock.mockRestore()
  return load
}

/** The verdicts on requests that enter one after another. */
const verdicts = (load: ReturnType<typeof createLoad>, count: number) =>
  Array.from({ length: count }, () => {
    load.enter(makeExchange())
    return load.overload()
  })

it('takes as many requests as the limit allows, and no more', () => {
  expect(
    verdicts(
      createLoad(() => 3),
      4,
    ),
  ).toEqual([undefined, undefined, undefined, 'max_in_flight'])
})

it('takes them on a late event loop too, when they are few', () => {
  expect(verdicts(lateLoad(3), 4)).toEqual([undefined, undefined, undefined, 'max_in_flight'])
})

it('takes no more than 63 on a late event loop', () => {
  expect(verdicts(lateLoad(1000), 65).toSpliced(0, 63)).toEqual(['late_loop', 'late_loop'])
})

it('does not count streams against the limit', () => {
  const load = createLoad(() => 1)
  const stream = makeExchange({ slot: 'taken' })
  load.enter(stream)
  load.streamStarted()
  expect(verdicts(load, 2)).toEqual([undefined, 'max_in_flight'])
  load.leave(stream)
  expect(load.inFlight).toBe(2)
})
