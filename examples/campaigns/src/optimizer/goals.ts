import type { CountName } from '../campaigns/metrics.ts'

/** A rate: one counter divided by another. More is always better. */
export interface Measure {
  readonly title: string
  readonly of: CountName
  readonly per: CountName
  /** Formats rates for readers, the smallest number first. */
  show(...rates: number[]): string
}

const asPercent = (...rates: number[]) => rates.map((rate) => `${(rate * 100).toFixed(2)} %`).join(' to ')
const asCost = (...perCent: number[]) =>
  perCent
    .map((rate) => (rate === 0 ? 'no lead at all' : (1 / rate / 100).toFixed(2)))
    .toReversed()
    .join(' to ')

/** The measure of each goal. */
export const measures = {
  ctr: { title: 'click-through rate', of: 'clicks', per: 'impressions', show: asPercent },
  conversions: {
    title: 'conversions per impression',
    of: 'conversions',
    per: 'impressions',
    show: asPercent,
  },
  reach: { title: 'people reached per impression', of: 'reach', per: 'impressions', show: asPercent },
  // More leads per cent means a lower cost per lead.
  cpl: { title: 'cost per lead', of: 'leads', per: 'spendCents', show: asCost },
  conversion_rate: { title: 'conversion rate', of: 'conversions', per: 'clicks', show: asPercent },
  lead_quality: { title: 'share of qualified leads', of: 'qualifiedLeads', per: 'leads', show: asPercent },
} as const satisfies Record<string, Measure>

/** The name of a goal. */
export type Goal = keyof typeof measures

/** All goals, in the order of the question. */
export const goals = Object.keys(measures) as [Goal, ...Goal[]]
