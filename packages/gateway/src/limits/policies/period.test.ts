import { expect, test } from 'vitest'
import { periodEnd, periodStart } from './period.ts'

const seconds = (text: string) => Date.parse(text) / 1000

test.each([
  ['day', '2026-11-16T05:37:16Z', '2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z'],
  ['day', '2026-11-16T23:59:59Z', '2026-11-16T00:00:00Z', '2026-11-17T00:00:00Z'],
  ['day', '2026-11-17T00:00:00Z', '2026-11-17T00:00:00Z', '2026-11-18T00:00:00Z'],
  ['month', '2028-02-29T12:00:00Z', '2028-02-01T00:00:00Z', '2028-03-01T00:00:00Z'],
  ['month', '2026-12-31T23:59:59Z', '2026-12-01T00:00:00Z', '2027-01-01T00:00:00Z'],
  ['month', '2027-01-01T00:00:00Z', '2027-01-01T00:00:00Z', '2027-02-01T00:00:00Z'],
] as const)('the %s of %s starts at %s and ends before %s', (per, now, start, end) => {
  expect(periodStart(per, seconds(now))).toBe(seconds(start))
  expect(periodEnd(per, seconds(start))).toBe(seconds(end))
})
