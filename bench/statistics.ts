/** The median of some values and their range. */
export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** Summarises the values of several rounds. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.toSorted((first, second) => first - second)
  return { median: percentile(sorted, 50), low: sorted[0] ?? Number.NaN, high: sorted.at(-1) ?? Number.NaN }
}

/** A percentile of sorted values, with interpolation. */
export function percentile(sorted: readonly number[], percent: number): number {
  const position = ((sorted.length - 1) * percent) / 100
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

/** Ratios of two series, round by round: a slow round of the machine affects both. */
export function ratios(values: readonly number[], base: readonly number[]): Spread {
  return spreadOf(values.map((value, round) => value / (base[round] ?? Number.NaN)))
}
