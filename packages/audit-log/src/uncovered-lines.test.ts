import { expect, it } from 'vitest'
import { uncoveredFault } from './uncovered-lines.ts'

const NOW = new Date('2026-01-02T03:05:00Z')
const line = (value: object) => Buffer.from(JSON.stringify(value))
const OLD = 'no checkpoint covers the last 3 lines, which are older than a minute'

it.each([
  ['no line', 0, undefined, undefined],
  ['a line of a minute', 3, { written: '2026-01-02T03:04:00.000Z' }, undefined],
  ['a line of a clock that is a minute ahead', 3, { written: '2026-01-02T03:06:00.000Z' }, undefined],
  [
    'a line of the future',
    3,
    { written: '2999-01-02T03:06:00.000Z' },
    'no checkpoint covers the last 3 lines, which are dated more than a minute ahead of the clock',
  ],
  ['an older line', 3, { written: '2026-01-02T03:03:59.999Z' }, OLD],
  [
    'a new line of an old request',
    3,
    { written: '2026-01-02T03:04:50Z', timestamp: '2026-01-02T02:00:00Z' },
    undefined,
  ],
  ['a line of an older version', 3, { timestamp: '2026-01-02T03:03:00Z' }, OLD],
  ['a line without a time', 3, { a: 1 }, OLD],
  ['a line that is no object', 3, 7, OLD],
  ['1,000 lines', 1_000, { written: '2026-01-02T03:04:59Z' }, undefined],
  [
    '1,001 lines',
    1_001,
    { written: '2026-01-02T03:04:59Z' },
    'no checkpoint covers the last 1001 lines, and a writer leaves at most 1000',
  ],
])('judges %s', (_name, count, first, fault) => {
  const uncovered = { count, first: first === undefined ? undefined : line(Object(first)) }
  expect(uncoveredFault(uncovered, NOW)).toBe(fault)
})
