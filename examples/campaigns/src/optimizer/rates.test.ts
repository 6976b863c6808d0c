import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isAbove, rateOf, wilsonInterval } from './rates.ts'

const sample = fc
  .tuple(fc.nat({ max: 1_000_000 }), fc.nat({ max: 1_000_000 }))
  .map(([one, other]) => ({ of: Math.min(one, other), per: Math.max(one, other) }))

test('an interval is the one of the textbooks', () => {
  const { low, high } = wilsonInterval({ of: 10, per: 100 })
  expect([low, high].map((value) => value.toFixed(4))).toEqual(['0.0552', '0.1744'])
})

test('nothing out of nothing may be any rate', () => {
  expect(rateOf({ of: 0, per: 0 })).toBe(0)
  expect(wilsonInterval({ of: 0, per: 0 })).toEqual({ low: 0, high: 1 })
})

test('an interval has its rate in it, and more data makes it narrower', () => {
  fc.assert(
    fc.property(sample, ({ of, per }) => {
      const { low, high } = wilsonInterval({ of, per })
      const rate = rateOf({ of, per })
      expect(low).toBeGreaterThanOrEqual(0)
      expect(high).toBeLessThanOrEqual(1)
      // The bounds are sums of rounded numbers.
      expect(low).toBeLessThanOrEqual(rate + 1e-12)
      expect(high).toBeGreaterThanOrEqual(per === 0 ? 0 : rate - 1e-12)
      const more = wilsonInterval({ of: of * 4, per: per * 4 })
      expect(more.high - more.low).toBeLessThanOrEqual(high - low)
    }),
  )
})

test('a difference counts when chance does not explain it', () => {
  // z = (0.12 - 0.10) / sqrt(0.11 * 0.89 * 2 / 1000) = 1.43, and with four times the data 2.86.
  expect(isAbove({ of: 120, per: 1_000 }, { of: 100, per: 1_000 })).toBe(false)
  expect(isAbove({ of: 480, per: 4_000 }, { of: 400, per: 4_000 })).toBe(true)
  expect(isAbove({ of: 400, per: 4_000 }, { of: 480, per: 4_000 })).toBe(false)
})

test('few cases never count, and neither does nothing', () => {
  expect(isAbove({ of: 4, per: 4 }, { of: 0, per: 4 })).toBe(false)
  expect(isAbove({ of: 0, per: 0 }, { of: 0, per: 0 })).toBe(false)
  expect(isAbove({ of: 50, per: 50 }, { of: 60, per: 60 })).toBe(false)
})

test('of two samples at most one is above the other', () => {
  fc.assert(
    fc.property(sample, sample, (one, other) => {
      expect(isAbove(one, other) && isAbove(other, one)).toBe(false)
    }),
  )
})
