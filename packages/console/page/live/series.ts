import type { AdminReading } from '@agentic-rest/profile/admin'
import type { Summary } from '../api/bodies.ts'
import type { RequestRow } from '../api/feed-events.ts'
import { type Family, families, familyOf } from '../shell/outcome-family.ts'

/** Columns for a chart: seconds since 1970 first, then one list of values per series. */
export type Columns = [number[], ...(number | null)[][]]

/** The number of requests per family in a summary. */
export function familyCounts({ outcomes }: Summary): Record<Family, number> {
  const counts: Record<Family, number> = { done: 0, background: 0, asks: 0, refused: 0, failed: 0 }
  for (const [outcome, count] of outcomes) counts[familyOf(outcome)] += count
  return counts
}

/**
 * The stacked families, the tallest first. Each column is drawn over the one before, so that the visible rest is its own
 * share.
 */
export function outcomeColumns(summaries: readonly Summary[]): Columns {
  const counts = summaries.map(familyCounts)
  const stacked = families.map((_, index) =>
    counts.map((each) => sum(families.slice(0, index + 1).map((family) => each[family]))),
  )
  return [timesOf(summaries), ...stacked.toReversed()]
}

/** The median and a high quantile of the latency. */
export function latencyColumns(summaries: readonly Summary[]): Columns {
  return [
    timesOf(summaries),
    summaries.map(({ latency }) => latency?.p50 ?? null),
    summaries.map(({ latency }) => latency?.p99 ?? null),
  ]
}

/** The figures above the charts, all of one window. */
export interface Figures {
  /** The window in words: `last 42 s`, `last 3 min`. */
  readonly window: string
  readonly perSecond: number
  /** Of the newest second: a number of now has no window. */
  readonly inFlight: number
  readonly latency: AdminReading<'Percentiles'> | null
  readonly upstream: AdminReading<'Percentiles'> | null
  readonly plugins: AdminReading<'Percentiles'> | null
  /** The share of failed requests. */
  readonly failedShare: number | null
}

/** The figures of all summaries. */
export function figuresOf(summaries: readonly Summary[]): Figures {
  const all = sum(summaries.map(({ requests }) => requests))
  const failed = sum(summaries.map((each) => familyCounts(each).failed))
  return {
    window: windowOf(summaries),
    perSecond: summaries.length === 0 ? 0 : all / summaries.length,
    inFlight: summaries.at(-1)?.inFlight ?? 0,
    latency: quantilesIn(summaries, 'latency'),
    upstream: quantilesIn(summaries, 'upstream'),
    plugins: quantilesIn(summaries, 'plugins'),
    failedShare: all === 0 ? null : failed / all,
  }
}

/** The seconds that summaries are about, in words. */
export function windowOf({ length }: readonly Summary[]): string {
  return length < SHOWN_SECONDS ? `last ${length} s` : `last ${SHOWN_SECONDS / 60} min`
}

/** All outcomes with their counts: failures first, then refusals, and the most frequent first within a family. */
export function outcomeTotals(summaries: readonly Summary[]): (readonly [string, number])[] {
  const totals = new Map<string, number>()
  for (const { outcomes } of summaries) {
    for (const [outcome, count] of outcomes) totals.set(outcome, (totals.get(outcome) ?? 0) + count)
  }
  const rank = (outcome: string) => families.indexOf(familyOf(outcome))
  return [...totals].toSorted(([a, countA], [b, countB]) => rank(b) - rank(a) || countB - countA)
}

const SHOWN_SECONDS = 180

/** The last three minutes, also without values: an empty chart must not begin in 1970. */
export function timeRange(newest: number | null): [number, number] {
  const end = newest !== null && newest > SHOWN_SECONDS ? newest : Math.round(Date.now() / 1000)
  return [end - SHOWN_SECONDS, end]
}

/** Adds the seconds that no summary is about, as far as the rows reach back: before the page was opened, or without a connection. */
export function fillPast(summaries: readonly Summary[], rows: readonly RequestRow[]): readonly Summary[] {
  const known = new Map(summaries.map((summary) => [secondOf(summary), summary]))
  const bySecond = Map.groupBy(rows, ({ endedMs }) => Math.ceil(endedMs / 1000))
  const end = Math.max(...known.keys())
  const start = Math.max(end - SHOWN_SECONDS + 1, Math.min(...bySecond.keys(), ...known.keys()))
  const seconds = Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => start + index)
  return seconds.map((second) => known.get(second) ?? pastSummary(second, bySecond.get(second) ?? []))
}

function pastSummary(second: number, rows: readonly RequestRow[]): Summary {
  const upstream = rows.map(({ upstreamMs }) => upstreamMs).filter((ms) => ms !== null)
  return {
    at: new Date(second * 1000).toISOString(),
    requests: rows.length,
    shown: rows.length,
    outcomes: new Map(
      [...Map.groupBy(rows, ({ outcome }) => outcome)].map(([name, of]) => [name, of.length]),
    ),
    latency: quantilesOf(rows.map(({ durationMs }) => durationMs)),
    upstream: quantilesOf(upstream),
    plugins: quantilesOf(rows.map(({ pluginMs }) => pluginMs)),
    inFlight: 0,
    streams: [],
  }
}

function quantilesOf(values: readonly number[]): AdminReading<'Percentiles'> | null {
  const sorted = values.toSorted((first, second) => first - second)
  const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
  return sorted.length === 0 ? null : { p50: at(0.5), p99: at(0.99) }
}

/**
 * The quantiles of a window from those of its seconds, each with the weight of its requests: exact for one request a
 * second, near for more. The page has no single durations of a busy gateway.
 */
function quantilesIn(
  summaries: readonly Summary[],
  name: 'latency' | 'upstream' | 'plugins',
): AdminReading<'Percentiles'> | null {
  const known = summaries.flatMap(({ requests, [name]: each }) =>
    each === null ? [] : [{ ...each, weight: Math.max(1, requests) }],
  )
  if (known.length === 0) return null
  const whole = sum(known.map(({ weight }) => weight))
  const at = (quantile: 'p50' | 'p99', share: number) => {
    let passed = 0
    const sorted = known.toSorted((a, b) => a[quantile] - b[quantile])
    const found = sorted.find(({ weight }) => {
      passed += weight
      return passed >= share * whole
    })
    return found?.[quantile] ?? 0
  }
  return { p50: at('p50', 0.5), p99: at('p99', 0.99) }
}

function timesOf(summaries: readonly Summary[]): number[] {
  return summaries.map(secondOf)
}

function secondOf({ at }: Summary): number {
  return Math.round(Date.parse(at) / 1000)
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
