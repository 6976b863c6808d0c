import { z } from 'zod'

/** What is counted for each segment of each day. */
export const countNames = [
  'impressions',
  'reach',
  'clicks',
  'leads',
  'qualifiedLeads',
  'conversions',
  'spendCents',
] as const
/** The name of something that is counted. */
export type CountName = (typeof countNames)[number]
/** One number for each of them. */
export type Counts = Readonly<Record<CountName, number>>

/** What a campaign's days are broken down by. */
export const dimensionNames = ['device', 'audience', 'creative'] as const
/** The name of a dimension. */
export type DimensionName = (typeof dimensionNames)[number]

const MAX_COUNT = 1_000_000_000
const count = z.int().min(0).max(MAX_COUNT)
// PostgreSQL keeps no NUL, and nobody reads control characters.
const name = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,100}$/u, 'has to be 1 to 100 printable characters')

/** Nobody clicks more often than an advertisement was shown, and so on: numbers that break this were not measured. */
const bounds: readonly (readonly [CountName, CountName])[] = [
  ['reach', 'impressions'],
  ['clicks', 'impressions'],
  ['leads', 'clicks'],
  ['qualifiedLeads', 'leads'],
  ['conversions', 'clicks'],
]

/** One segment of one day, as it was measured. */
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

/** A row of metrics, checked. */
export type DailyMetrics = z.infer<typeof dailyMetrics>

/** More than a campaign of three years has in this service; it bounds every computation. */
export const MAX_ROWS = 50_000

const manyDays = z.array(dailyMetrics).max(MAX_ROWS)

/** Reads rows from wherever they were kept; nothing when one of them cannot have been measured. */
export function readDays(rows: unknown): readonly DailyMetrics[] | undefined {
  const read = manyDays.safeParse(rows)
  return read.success ? read.data : undefined
}
