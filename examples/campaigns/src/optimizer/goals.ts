import type { CountName } from '../campaigns/metrics.ts'

/** A rate: how many of one thing for each of another. More is always better. */
export interface Measure {
  readonly title: string
  readonly of: CountName
  readonly per: CountName
  /** Rates as people read them, smallest number first. */
  show(...rates: number[]): string
}

const asPercent = (...rates: number[]) => rates.map((rate) => `${(rate * 100).toFixed(2)} %`).join(' to ')
const asCost = (...perCent: number[]) =>
  perCent
    .map((rate) => (rate === 0 ? 'no lead at all' : (1 / rate / 100).toFixed(2)))
    .toReversed()
    .join(' to ')

/** What each goal is measured by. */
export const measures = {
  ctr: { title: 'click-through rate', of: 'clicks', per: 'impressions', show: asPercent },
  conversions: {
    title: 'conversions per impression',
    of: 'conversions',
    per: 'impressions',
    show: asPercent,
  },
  reach: { title: 'people reached per impression', of: 'reach', per: 'impressions', show: asPercent },
  // More leads for each cent is a lower cost for each lead.
  cpl: { title: 'cost per lead', of: 'leads', per: 'spendCents', show: asCost },
  conversion_rate: { title: 'conversion rate', of: 'conversions', per: 'clicks', show: asPercent },
  lead_quality: { title: 'share of qualified leads', of: 'qualifiedLeads', per: 'leads', show: asPercent },
} as const satisfies Record<string, Measure>

/** Something to optimize for. */
export type Goal = keyof typeof measures

/** All goals, in the order in which they are offered. */
export const goals = Object.keys(measures) as [Goal, ...Goal[]]
