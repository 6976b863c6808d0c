import type { DailyMetrics } from './metrics.ts'

/** A predicted number: the expected value and its 95 % interval. */
export interface Expected {
  readonly expected: number
  readonly low: number
  readonly high: number
}

/** One future day. */
export interface ForecastDay {
  readonly day: string
  readonly clicks: Expected
}

/** Predicts future days from measured ones. */
export interface Forecaster {
  /** The day at this distance from the last measured day. */
  tell(ahead: number): ForecastDay
  /** The sum of the next days. */
  total(days: number): Expected
}

interface DayClicks {
  readonly time: number
  readonly clicks: number
}

const DAY_MS = 24 * 60 * 60 * 1000
const WEEK = 7
const Z = 1.959964

/** Learns mean and variance of each weekday; returns nothing without data. */
export function createForecaster(rows: readonly DailyMetrics[]): Forecaster | undefined {
  const days = clicksByDay(rows)
  const last = days.at(-1)
  if (last === undefined) return undefined
  const overall = mean(days.map(({ clicks }) => clicks))
  const means = Array.from({ length: WEEK }, (_, weekday) => {
    const same = days.filter(({ time }) => weekdayOf(time) === weekday)
    return same.length === 0 ? overall : mean(same.map(({ clicks }) => clicks))
  })
  const expectedOn = (time: number) => means[weekdayOf(time)] ?? overall
  const residuals = days.map(({ time, clicks }) => clicks - expectedOn(time))
  const known = Math.max(1, days.length - new Set(days.map(({ time }) => weekdayOf(time))).size)
  const variance = residuals.reduce((sum, residual) => sum + residual * residual, 0) / known
  const timeOf = (ahead: number) => last.time + ahead * DAY_MS
  return {
    tell: (ahead) => ({
      day: new Date(timeOf(ahead)).toISOString().slice(0, 'yyyy-mm-dd'.length),
      clicks: around(expectedOn(timeOf(ahead)), variance * (1 + 1 / days.length)),
    }),
    total(count) {
      const sum = Array.from({ length: count }, (_, index) => expectedOn(timeOf(index + 1)))
      // The variation of each day is independent; an error of the mean applies to all days.
      return around(
        sum.reduce((total, each) => total + each, 0),
        variance * (count + (count * count) / days.length),
      )
    },
  }
}

function clicksByDay(rows: readonly DailyMetrics[]): readonly DayClicks[] {
  const sums = new Map<string, number>()
  for (const { day, clicks } of rows) sums.set(day, (sums.get(day) ?? 0) + clicks)
  return [...sums]
    .map(([day, clicks]) => ({ time: Date.parse(day), clicks }))
    .toSorted((one, other) => one.time - other.time)
}

function weekdayOf(time: number): number {
  return new Date(time).getUTCDay()
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function around(expected: number, variance: number): Expected {
  const half = Z * Math.sqrt(variance)
  return {
    expected: Math.round(expected),
    low: Math.max(0, Math.round(expected - half)),
    high: Math.round(expected + half),
  }
}
