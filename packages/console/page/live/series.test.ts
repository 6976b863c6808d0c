import { adminBodies } from '@agentic-rest/profile/admin'
import { expect, test } from 'vitest'
import type { Summary } from '../api/bodies.ts'
import { readRow } from '../api/feed-events.ts'
import {
  familyCounts,
  figuresOf,
  fillPast,
  latencyColumns,
  outcomeColumns,
  outcomeTotals,
  timeRange,
  windowOf,
} from './series.ts'

function summary(second: number, outcomes: Record<string, number>, more: object = {}): Summary {
  const requests = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const at = new Date(second * 1000).toISOString()
  return adminBodies.Summary.read({ at, requests, outcomes, inFlight: 3, streams: [], ...more })
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
    window: 'last 3 s',
    perSecond: 8 / 3,
    inFlight: 3,
    latency: { p50: 4, p99: 9 },
    upstream: { p50: 1, p99: 2 },
    plugins: null,
    failedShare: 2 / 8,
  })
  expect(figuresOf([])).toMatchObject({ perSecond: 0, inFlight: 0, latency: null, failedShare: null })
})

test('every figure is of the whole window, not of its last second', () => {
  const busy = [
    summary(100, { success: 9, error: 1 }, { latency: { p50: 5, p99: 9 } }),
    ...Array.from({ length: 9 }, (_, second) =>
      summary(101 + second, { success: 1 }, { latency: { p50: 50, p99: 50 } }),
    ),
  ]
  expect(figuresOf(busy)).toMatchObject({
    window: 'last 10 s',
    perSecond: 1.9,
    latency: { p50: 5, p99: 50 },
    failedShare: 1 / 19,
  })
  expect(windowOf(Array.from({ length: 180 }, (_, second) => summary(second, {})))).toBe('last 3 min')
})

test('totals name every outcome, failures first', () => {
  expect(outcomeTotals(summaries)).toEqual([
    ['error', 1],
    ['unheard_of', 1],
    ['clarification_required', 2],
    ['success', 3],
    ['created', 1],
  ])
})

test('what is no summary is read as an empty one', () => {
  expect(adminBodies.Summary.read(null)).toMatchObject({ requests: 0, latency: null, streams: [] })
  expect(adminBodies.Summary.read({ latency: { p50: 'x' }, outcomes: [1] }).latency).toBeNull()
})

const NOON = Date.UTC(2026, 10, 16, 12) / 1000

test('seconds before the first summary and between two are filled with remembered requests', () => {
  const row = (second: number, outcome: string, durationMs: number) =>
    readRow({ at: new Date((NOON + second) * 1000 - durationMs).toISOString(), outcome, durationMs })
  const rows = [row(-1.5, 'success', 4), row(-3.2, 'error', 8), row(-3.4, 'success', 2)]
  const given = [summary(NOON, { created: 2 }), summary(NOON + 2, {})]
  const filled = fillPast(given, rows)
  expect(filled.map(({ at }) => Date.parse(at) / 1000 - NOON)).toEqual([-3, -2, -1, 0, 1, 2])
  expect(filled.map(({ requests }) => requests)).toEqual([2, 0, 1, 2, 0, 0])
  expect(filled[0]).toMatchObject({ latency: { p50: 2, p99: 8 }, upstream: null })
  expect(outcomeTotals(filled)).toEqual([
    ['error', 1],
    ['success', 2],
    ['created', 2],
  ])
  expect(filled[3]).toBe(given[0])
})

test('a remembered request of long ago fills no more than three minutes', () => {
  const old = readRow({ at: new Date((NOON - 9_000) * 1000).toISOString() })
  expect(fillPast([summary(NOON, {})], [old, readRow({})])).toHaveLength(180)
  expect(fillPast([summary(NOON, {})], [])).toHaveLength(1)
})

test.each([null, 0, Number.NaN])('a chart without a time (%s) shows the last minutes, not 1970', (newest) => {
  const [start, end] = timeRange(newest)
  expect(end - start).toBe(180)
  expect(Math.abs(end - Date.now() / 1000)).toBeLessThan(5)
  expect(timeRange(NOON)).toEqual([NOON - 180, NOON])
})
