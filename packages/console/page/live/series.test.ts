import { expect, test } from 'vitest'
import { readSummary, type Summary } from '../api/feed-events.ts'
import { familyCounts, figuresOf, latencyColumns, outcomeColumns, outcomeTotals } from './series.ts'

function summary(second: number, outcomes: Record<string, number>, more: object = {}): Summary {
  const requests = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const at = new Date(second * 1000).toISOString()
  return readSummary({ at, requests, outcomes, inFlight: 3, streams: [], ...more })
}

const summaries = [
  summary(100, { success: 3, error: 1 }, { latency: { p50: 4, p99: 9 } }),
  summary(101, {}),
  summary(102, { created: 1, clarification_required: 2, unheard_of: 1 }, { upstream: { p50: 1, p99: 2 } }),
]

test('outcomes are counted by family, unknown ones as failures', () => {
  expect(summaries.map(familyCounts)).toEqual([
    { done: 3, background: 0, asks: 0, refused: 0, failed: 1 },
    { done: 0, background: 0, asks: 0, refused: 0, failed: 0 },
    { done: 1, background: 0, asks: 2, refused: 0, failed: 1 },
  ])
})

test('columns stand on each other, the tallest first', () => {
  expect(outcomeColumns(summaries)).toEqual([
    [100, 101, 102],
    [4, 0, 4],
    [3, 0, 3],
    [3, 0, 3],
    [3, 0, 1],
    [3, 0, 1],
  ])
})

test('a second without requests has no latency', () => {
  expect(latencyColumns(summaries)).toEqual([
    [100, 101, 102],
    [4, null, null],
    [9, null, null],
  ])
})

test('figures are of the last seconds, quantiles the newest that exist', () => {
  expect(figuresOf(summaries)).toEqual({
    perSecond: 8 / 3,
    inFlight: 3,
    latency: { p50: 4, p99: 9 },
    upstream: { p50: 1, p99: 2 },
    plugins: null,
    failedShare: 2 / 8,
  })
  expect(figuresOf([])).toMatchObject({ perSecond: 0, inFlight: 0, latency: null, failedShare: null })
})

test('totals name the most frequent outcome first', () => {
  expect(outcomeTotals(summaries)).toEqual([
    ['success', 3],
    ['clarification_required', 2],
    ['error', 1],
    ['created', 1],
    ['unheard_of', 1],
  ])
})

test('what is no summary is read as an empty one', () => {
  expect(readSummary(null)).toMatchObject({ requests: 0, latency: null, streams: [] })
  expect(readSummary({ latency: { p50: 'x' }, outcomes: [1] }).latency).toBeNull()
})
