import {
  type Counts,
  countNames,
  type DailyMetrics,
  type DimensionName,
  dimensionNames,
} from '../campaigns/metrics.ts'

/** A named group of a campaign with its counters. */
export interface Group {
  readonly name: string
  readonly counts: Counts
}

interface Segment extends Readonly<Record<DimensionName, string>> {
  readonly counts: Counts
}

/** The sums of any number of days, for each combination of device, audience and creative. */
export type Tally = ReadonlyMap<string, Segment>

/** The empty tally. */
export const emptyTally: Tally = new Map()

/** Adds days to a tally, in any order. */
export function addDays(tally: Tally, days: readonly DailyMetrics[]): Tally {
  const sums = new Map(tally)
  for (const day of days) {
    const key = JSON.stringify(dimensionNames.map((dimension) => day[dimension]))
    const { device, audience, creative } = day
    const counts = addCounts(sums.get(key)?.counts, day)
    sums.set(key, { device, audience, creative, counts })
  }
  return sums
}

/** The tally by some dimensions, sorted by name, so that the same data gives the same result. */
export function groupBy(tally: Tally, dimensions: readonly DimensionName[]): readonly Group[] {
  const groups = new Map<string, Group>()
  for (const segment of tally.values()) {
    const names = dimensions.map((dimension) => segment[dimension])
    // Joined names could be ambiguous.
    const key = JSON.stringify(names)
    groups.set(key, { name: names.join(', '), counts: addCounts(groups.get(key)?.counts, segment.counts) })
  }
  return [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

function addCounts(sum: Counts | undefined, more: Counts): Counts {
  const entries = countNames.map((name) => [name, (sum?.[name] ?? 0) + more[name]])
  return Object.fromEntries(entries) as Counts
}
