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
// PostgreSQL cannot store NUL, and control characters are not readable. Few generators of test data know `\p{Cc}`.
const CHARACTER = String.raw`[^\u0000-\u001f\u007f-\u009f]`

/** A text of 1 to `max` readable characters. Counted as JSON Schema does, which `max` of zod does not. */
export function readableText(max: number) {
  const message = `has to be 1 to ${max} characters, without control characters or half of a surrogate pair`
  return z
    .string()
    .regex(new RegExp(`^${CHARACTER}{1,${max}}$`, 'u'), message)
    .refine((text) => text.isWellFormed(), message)
}

const name = readableText(100)

/** Clicks cannot exceed impressions, and so on. Other numbers are not real measurements. */
const bounds: readonly (readonly [CountName, CountName])[] = [
  ['reach', 'impressions'],
  ['clicks', 'impressions'],
  ['leads', 'clicks'],
  ['qualifiedLeads', 'leads'],
  ['conversions', 'clicks'],
]

/** The measurement of one segment and day. */
export const dailyMetrics = z.strictObject({
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

/** A row of metrics. */
export type DailyMetrics = z.infer<typeof dailyMetrics>

/** Says why rows cannot be measurements: a part above its whole, or two rows for one segment and day. */
export function contradictionIn(rows: readonly DailyMetrics[]): string | undefined {
  const seen = new Set<string>()
  for (const [index, row] of rows.entries()) {
    const [part, whole] = bounds.find(([less, more]) => row[less] > row[more]) ?? []
    if (part !== undefined) return `Row ${index + 1} has more ${part} than ${whole}.`
    const key = JSON.stringify([row.day, ...dimensionNames.map((dimension) => row[dimension])])
    if (seen.has(key)) return `Row ${index + 1} is for the same day and segment as an earlier one.`
    seen.add(key)
  }
  return undefined
}

/** The limit for every computation: more than three years of a campaign. */
export const MAX_ROWS = 50_000

const manyDays = z.array(dailyMetrics).max(MAX_ROWS)

/** Checks rows of any source; returns nothing if one of them is impossible. */
export function readDays(rows: unknown): readonly DailyMetrics[] | undefined {
  const read = manyDays.safeParse(rows)
  return read.success && contradictionIn(read.data) === undefined ? read.data : undefined
}
