import type { Counts } from '../campaigns/metrics.ts'
import type { Measure } from './goals.ts'

/** A proportion: `of` out of `per`. */
export interface Sample {
  readonly of: number
  readonly per: number
}

/** The 95 % interval of a rate. */
export interface Interval {
  readonly low: number
  readonly high: number
}

// The two-sided 95 % point of the normal distribution.
const Z = 1.959964
// Below this the normal approximation is not valid (Cochran's rule).
const MIN_EXPECTED = 5

/** The proportion for a measure. `per` is at least `of`: leads may cost nothing. */
export function sampleOf(counts: Counts, { of, per }: Pick<Measure, 'of' | 'per'>): Sample {
  return { of: counts[of], per: Math.max(counts[per], counts[of]) }
}

/** The rate; 0 for an empty total. */
export function rateOf({ of, per }: Sample): number {
  return per === 0 ? 0 : of / per
}

/** Wilson's score interval, which is valid for few cases and rates near 0. */
export function wilsonInterval(sample: Sample): Interval {
  const { per } = sample
  if (per === 0) return { low: 0, high: 1 }
  const rate = rateOf(sample)
  const square = Z * Z
  const middle = rate + square / (2 * per)
  const half = Z * Math.sqrt((rate * (1 - rate)) / per + square / (4 * per * per))
  const scale = 1 + square / per
  return { low: Math.max(0, (middle - half) / scale), high: Math.min(1, (middle + half) / scale) }
}

/** Whether one rate is significantly above the other: the two-proportion test at 95 %. */
export function isAbove(one: Sample, other: Sample): boolean {
  const pooled = rateOf({ of: one.of + other.of, per: one.per + other.per })
  const rarest = Math.min(pooled, 1 - pooled) * Math.min(one.per, other.per)
  if (rarest < MIN_EXPECTED) return false
  const deviation = Math.sqrt(pooled * (1 - pooled) * (1 / one.per + 1 / other.per))
  return (rateOf(one) - rateOf(other)) / deviation >= Z
}
