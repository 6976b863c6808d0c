import { expect, test } from 'vitest'
import { formatAgo, formatClock, formatJson, formatMs, knownTime } from './format.ts'

test.each([
  [0, '0 ms'],
  [0.44, '0.4 ms'],
  [9.96, '10 ms'],
  [18.4, '18 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [1240, '1.24 s'],
  [185_000, '3 min 5 s'],
  [7_500_000, '2 h 5 min'],
  [3 * 86_400_000, '3 d'],
  [1e308, 'over 999 d'],
  [-1, '–'],
  [Number.NaN, '–'],
])('%d ms reads %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text)
})

test('a time of day has milliseconds, and what is no time stays as it is', () => {
  expect(formatClock('2026-11-15T06:45:48.078Z')).toMatch(/^\d\d:\d\d:48\.078$/)
  expect(formatClock('yesterday')).toBe('yesterday')
})

test.each([
  [1000, 'just now'],
  [20_000, '20 s ago'],
  [125_000, '2 min ago'],
  [7_300_000, '2 h ago'],
])('%d ms ago reads %s', (ms, text) => {
  const now = Date.parse('2026-11-15T06:45:48Z')
  expect(formatAgo(new Date(now - ms).toISOString(), now)).toBe(text)
})

test.each(['', '1970-01-01T00:00:00.000Z', '1970-01-01T01:00:00+01:00', '0001-01-01T00:00:00Z'])(
  'the absent time %j is unknown',
  (iso) => {
    expect(knownTime(iso)).toBeUndefined()
    expect(formatClock(iso)).toBe('unknown')
    expect(formatAgo(iso, Date.now())).toBe('unknown')
  },
)

test('the age of what is no time is unknown', () => {
  expect(formatAgo('never', Date.now())).toBe('unknown')
})

test('JSON is indented, and nothing is an empty text', () => {
  expect(formatJson({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(formatJson(undefined)).toBe('')
})
