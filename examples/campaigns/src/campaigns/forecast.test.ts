import { expect, test } from 'vitest'
import { createForecaster } from './forecast.ts'
import type { DailyMetrics } from './metrics.ts'

// From a Monday on: so many clicks each day, in two segments.
function daysWith(clicks: readonly number[]): DailyMetrics[] {
  const counts = { impressions: 1_000, reach: 0, leads: 0, qualifiedLeads: 0, conversions: 0, spendCents: 0 }
  return clicks.flatMap((all, index) =>
    ['mobile', 'desktop'].map((device) => ({
      ...counts,
      device,
      audience: 'all',
      creative: 'text',
      day: new Date(Date.UTC(2026, 4, 4 + index)).toISOString().slice(0, 10),
      clicks: all / 2,
    })),
  )
}

test('without a day there is nothing to tell', () => {
  expect(createForecaster([])).toBeUndefined()
})

test('each weekday brings what it has brought, surely when it always did', () => {
  const week = [10, 20, 30, 40, 50, 60, 70]
  const forecaster = createForecaster(daysWith([...week, ...week]))
  expect(forecaster?.tell(1)).toEqual({ day: '2026-05-18', clicks: { expected: 10, low: 10, high: 10 } })
  expect(forecaster?.tell(7)).toEqual({ day: '2026-05-24', clicks: { expected: 70, low: 70, high: 70 } })
  expect(forecaster?.total(14)).toEqual({ expected: 560, low: 560, high: 560 })
})

test('what varied is told with an interval, which follows from how much it did', () => {
  const forecaster = createForecaster(daysWith([...Array(7).fill(90), ...Array(7).fill(110)]))
  // 14 residuals of 10, 7 means learnt: the variance is 1400 / 7 = 200, and 1.96 * sqrt(200 * (1 + 1/14)) = 28.7.
  expect(forecaster?.tell(1).clicks).toEqual({ expected: 100, low: 71, high: 129 })
  // 1.96 * sqrt(200 * (4 + 16/14)) = 62.9.
  expect(forecaster?.total(4)).toEqual({ expected: 400, low: 337, high: 463 })
})

test('a weekday that was never seen brings what days bring', () => {
  const forecaster = createForecaster(daysWith([10, 20]))
  expect(forecaster?.tell(1).clicks.expected).toBe(15)
  expect(forecaster?.tell(6).clicks.expected).toBe(10)
})
