import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backlogOf, leftOf, nextTat, type Rate, rateOf, waitOf } from './gcra.ts'

/** One key of a limit; `ask` says whether a request passes at a time. */
function createKey(rate: Rate) {
  let tat: number | undefined
  return (nowUs: number): boolean => {
    const backlog = backlogOf(rate, tat, nowUs)
    const passes = waitOf(rate, backlog) === 0
    tat = passes ? nextTat(rate, backlog, nowUs) : nowUs + backlog
    return passes
  }
}

const rates = fc
  .record({ requests: fc.integer({ min: 1, max: 5000 }), seconds: fc.integer({ min: 1, max: 3600 }) })
  .chain(({ requests, seconds }) =>
    fc.integer({ min: 1, max: requests }).map((burst) => rateOf(requests, seconds, Math.min(burst, 200))),
  )

const start = fc.integer({ min: 0, max: 2_000_000_000_000_000 })

test('the interval is a whole number of microseconds, and the burst a tenth of the requests', () => {
  expect(rateOf(600, 60, 60)).toEqual({ intervalUs: 100_000, burst: 60 })
  expect(rateOf(7, 60)).toEqual({ intervalUs: 8_571_429, burst: 1 })
  expect(rateOf(100_000, 1)).toEqual({ intervalUs: 10, burst: 10_000 })
})

test('under constant pressure exactly burst + floor(time / interval) pass', () => {
  fc.assert(
    fc.property(
      rates,
      start,
      fc.integer({ min: 0, max: 50 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rate, from, steps, part) => {
        const ask = createKey(rate)
        const time = Math.floor((steps + part) * rate.intervalUs)
        // More than a burst at once, then at every moment in which one more could pass, and right before it.
        const times = Array.from({ length: rate.burst + 1 }, () => from)
        for (let due = rate.intervalUs; due <= time; due += rate.intervalUs)
          times.push(from + due - 1, from + due, from + due)
        const passed = [...times, from + time].filter(ask).length
        expect(passed).toBe(rate.burst + Math.floor(time / rate.intervalUs))
      },
    ),
  )
})

test('a request passes after exactly the time that a refusal names', () => {
  fc.assert(
    fc.property(rates, start, fc.integer({ min: 0, max: 1_000_000 }), (rate, from, later) => {
      let tat: number | undefined
      for (let asked = 0; asked < rate.burst; asked += 1)
        tat = nextTat(rate, backlogOf(rate, tat, from), from)
      const now = from + Math.min(later, rate.intervalUs - 1)
      const wait = waitOf(rate, backlogOf(rate, tat, now))
      expect(wait).toBeGreaterThan(0)
      expect(waitOf(rate, backlogOf(rate, tat, now + wait - 1))).toBe(1)
      expect(waitOf(rate, backlogOf(rate, tat, now + wait))).toBe(0)
    }),
  )
})

test('the requests left are those that pass at this moment', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 0, max: 200 }), (rate, asked) => {
      let tat: number | undefined
      const used = Math.min(asked, rate.burst)
      for (let index = 0; index < used; index += 1) tat = nextTat(rate, backlogOf(rate, tat, 0), 0)
      expect(leftOf(rate, backlogOf(rate, tat, 0))).toBe(rate.burst - used)
    }),
  )
})

test('a clock that jumps neither locks nor frees a key for longer than the time of one burst', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: -2_000_000_000, max: 2_000_000_000 }), (rate, jump) => {
      const ask = createKey(rate)
      const from = 4_000_000_000
      for (let asked = 0; asked <= rate.burst; asked += 1) ask(from)
      const after = from + jump
      let passed = 0
      for (let asked = 0; asked <= rate.burst; asked += 1) if (ask(after)) passed += 1
      expect(passed).toBeLessThanOrEqual(rate.burst)
      // Whatever the clock did, one interval later one more request passes.
      expect(ask(after + rate.intervalUs)).toBe(true)
    }),
  )
})
