import type { Quantiles, Summary } from '../api/feed-events.ts'
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

/** The figures above the charts. */
export interface Figures {
  readonly perSecond: number
  readonly inFlight: number
  readonly latency: Quantiles | null
  readonly upstream: Quantiles | null
  readonly plugins: Quantiles | null
  /** The share of failed requests. */
  readonly failedShare: number | null
}

const RECENT = 5

/** The figures of the last seconds, with the newest quantiles. */
export function figuresOf(summaries: readonly Summary[]): Figures {
  const recent = summaries.slice(-RECENT)
  const all = sum(summaries.map(({ requests }) => requests))
  const failed = sum(summaries.map((each) => familyCounts(each).failed))
  return {
    perSecond: recent.length === 0 ? 0 : sum(recent.map(({ requests }) => requests)) / recent.length,
    inFlight: summaries.at(-1)?.inFlight ?? 0,
    latency: newest(summaries, 'latency'),
    upstream: newest(summaries, 'upstream'),
    plugins: newest(summaries, 'plugins'),
    failedShare: all === 0 ? null : failed / all,
  }
}

/** All outcomes with their counts, the most frequent first. */
export function outcomeTotals(summaries: readonly Summary[]): (readonly [string, number])[] {
  const totals = new Map<string, number>()
  for (const { outcomes } of summaries) {
    for (const [outcome, count] of outcomes) totals.set(outcome, (totals.get(outcome) ?? 0) + count)
  }
  return [...totals].toSorted(([, a], [, b]) => b - a)
}

function newest(summaries: readonly Summary[], name: 'latency' | 'upstream' | 'plugins'): Quantiles | null {
  return summaries.findLast((each) => each[name] !== null)?.[name] ?? null
}

function timesOf(summaries: readonly Summary[]): number[] {
  return summaries.map(({ at }) => Math.round(Date.parse(at) / 1000))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
