import { z } from 'zod'

/** The counters of each segment and day. */
export const countNames = [
  'impressions',
  'reach',
  'clicks',
  'leads',
  'qualifiedLeads',
  'conversions',
  'spendCents',
] as const
/** The name of a counter. */
export type CountName = (typeof countNames)[number]
/** One number per counter. */
export type Counts = Readonly<Record<CountName, number>>

/** The dimensions of a segment. */
export const dimensionNames = ['device', 'audience', 'creative'] as const
/** The name of a dimension. */
export type DimensionName = (typeof dimensionNames)[number]

const MAX_COUNT = 1_000_000_000
const count = z.int().min(0).max(MAX_COUNT)
// PostgreSQL cannot store NUL, and control characters are not readable.
const name = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'has to be 1 to 100 printable characters')

/** Clicks cannot exceed impressions, and so on. Other numbers are not real measurements. */
const bounds: readonly (readonly [CountName, CountName])[] = [
  ['reach', 'impressions'],
  ['clicks', 'impressions'],
  ['leads', 'clicks'],
  ['qualifiedLeads', 'leads'],
  ['conversions', 'clicks'],
]

/** The measurement of one segment and day. */
export const dailyMetrics = z
  .strictObject({
    day: z.iso.date(),
    device: name,
    audience: name,
    creative: name,
    impressions: count,
    reach: count,
    clicks: count,
    leads: count,
    qualifiedLeads: count,
    conversions: count,
    spendCents: count,
  })
  .superRefine((row, context) => {
    for (const [part, whole] of bounds) {
      if (row[part] > row[whole])
        context.addIssue({ code: 'custom', path: [part], message: `cannot be more than ${whole}` })
    }
  })

/** A checked row of metrics. */
export type DailyMetrics = z.infer<typeof dailyMetrics>

/** The limit for every computation: more than three years of a campaign. */
export const MAX_ROWS = 50_000

const manyDays = z.array(dailyMetrics).max(MAX_ROWS)

/** Checks rows of any source; returns nothing if one of them is impossible. */
export function readDays(rows: unknown): readonly DailyMetrics[] | undefined {
  const read = manyDays.safeParse(rows)
  return read.success ? read.data : undefined
}
