import { expect, test } from 'vitest'
import { SLOW_START_MS, type TargetResult, TargetState } from './target-state.ts'

const eject = { consecutive_failures: 3, seconds: 30, max_percent: 50 }
const health = {
  path: '/healthz',
  interval_seconds: 5,
  timeout_ms: 1000,
  unhealthy_after: 3,
  healthy_after: 2,
}

/** Ends these requests; whether the last one makes the target fail. */
function settle(state: TargetState, results: readonly TargetResult[]): boolean | undefined {
  return results.map((result) => state.isFailing(result, eject)).at(-1)
}

function check(state: TargetState, results: readonly boolean[], now = 0): boolean | undefined {
  return results.map((hasPassed) => state.checked(hasPassed, health, now)).at(-1)
}

test('failures in a row make a target fail; answers begin the count again, cancelled requests say nothing', () => {
  expect(settle(new TargetState(), ['unavailable', 'timeout', 'server_error'])).toBe(true)
  expect(settle(new TargetState(), ['unavailable', 'timeout', 'answered', 'server_error'])).toBe(false)
  expect(settle(new TargetState(), ['unavailable', 'timeout', 'cancelled'])).toBe(false)
  expect(settle(new TargetState(), ['unavailable', 'timeout', 'cancelled', 'timeout'])).toBe(true)
})

test('an ejected target is out for its time, starts slowly, and is out again after one failure', () => {
  const state = new TargetState()
  state.eject('server_error', eject, 1000)
  expect([state.isOpen(1000), state.condition(30_999), state.reopensAt(2000)]).toEqual([
    false,
    'ejected',
    31_000,
  ])
  expect([state.isOpen(31_000), state.condition(31_000), state.reopensAt(31_000)]).toEqual([
    true,
    'starting',
    undefined,
  ])
  expect([state.share(31_000), state.share(36_000), state.share(31_000 + SLOW_START_MS)]).toEqual([
    0.1, 0.5, 1,
  ])
  expect(settle(state, ['timeout'])).toBe(true)
})

test('a new target has its full share', () => {
  expect([new TargetState().share(0), new TargetState().condition(0)]).toEqual([1, 'up'])
})

test('failed checks in a row take a target out, passed ones bring it back slowly', () => {
  const state = new TargetState()
  expect([check(state, [false, false]), state.isOpen(0)]).toEqual([false, true])
  expect(check(state, [true, false, false])).toBe(false)
  expect([check(state, [false]), state.condition(0)]).toEqual([true, 'unhealthy'])
  expect(check(state, [false, true], 50)).toBe(false)
  expect([check(state, [true], 100), state.condition(100)]).toEqual([true, 'starting'])
})

test('passed checks end an ejection for lost connections, and one whose cause they saw', () => {
  const refused = new TargetState()
  refused.eject('unavailable', eject, 0)
  expect([check(refused, [true], 10), check(refused, [true], 20), refused.isOpen(20)]).toEqual([
    false,
    true,
    true,
  ])
  const paused = new TargetState()
  paused.eject('timeout', eject, 0)
  check(paused, [false, true, true], 10)
  expect(paused.isOpen(10)).toBe(true)
})

test('passed checks do not end an ejection for answers that they cannot see', () => {
  const state = new TargetState()
  state.eject('server_error', eject, 0)
  expect([check(state, [true, true, true], 10), state.condition(10)]).toEqual([false, 'ejected'])
})
