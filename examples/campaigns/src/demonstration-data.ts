import type { Sql } from '@agentic-rest/service'
import { type Campaign, insertCampaign } from './campaigns/campaign.ts'
import type { DailyMetrics } from './campaigns/metrics.ts'
import { insertDays } from './campaigns/metrics-table.ts'

interface Demonstration extends Omit<Campaign, 'createdAt'> {
  readonly tenant: string
  readonly days: readonly DailyMetrics[]
}

/** Factors on the usual click and conversion rates. */
interface Effect {
  readonly name: string
  readonly share: number
  readonly clicks: number
  readonly conversions: number
}

// A Monday, for whole weeks. A fixed date, so that the suggestions are always the same.
const FIRST_DAY = Date.UTC(2026, 4, 4)
const DAY_MS = 24 * 60 * 60 * 1000
const DAYS = 28
/** The time at which the campaigns of the demonstration say they were created. */
export const CREATED_AT = '2026-05-01T08:00:00.000Z'
const CTR = 0.021
const LEADS_PER_CLICK = 0.14
const CENTS_PER_CLICK = 46

const devices: readonly Effect[] = [
  { name: 'mobile', share: 0.55, clicks: 1.18, conversions: 0.86 },
  { name: 'desktop', share: 0.34, clicks: 0.82, conversions: 1.31 },
  { name: 'tablet', share: 0.11, clicks: 0.67, conversions: 0.92 },
]
const audiences: readonly Effect[] = [
  { name: 'returning visitors', share: 0.22, clicks: 1.52, conversions: 1.44 },
  { name: 'similar to customers', share: 0.31, clicks: 1.09, conversions: 1.12 },
  { name: 'interested in travel', share: 0.28, clicks: 0.86, conversions: 0.81 },
  { name: 'broad', share: 0.19, clicks: 0.48, conversions: 0.57 },
]
const creatives: readonly Effect[] = [
  { name: 'summer video', share: 0.4, clicks: 1.21, conversions: 1.03 },
  { name: 'price banner', share: 0.35, clicks: 0.97, conversions: 1.14 },
  { name: 'plain text', share: 0.25, clicks: 0.71, conversions: 0.77 },
]
// Monday to Sunday.
const weekdays = [1.02, 1.05, 1.04, 1.01, 0.98, 0.91, 0.99]

/** Inserts the campaigns of the demonstration. */
export async function fillDemonstration(sql: Sql): Promise<void> {
  for (const { tenant, days, ...rest } of makeDemonstrations()) {
    await insertCampaign(sql, tenant, { ...rest, createdAt: CREATED_AT })
    await insertDays(sql, { tenant, campaignId: rest.id }, days)
  }
}

function makeDemonstrations(): readonly Demonstration[] {
  const offline = campaign('acme', 'cmp-offline', { name: 'Partner network', monthlyBudget: 8_000 })
  const broken = campaign('acme', 'cmp-corrupt', { name: 'Broken import', monthlyBudget: 8_000 })
  return [
    campaign('acme', 'cmp-123', { name: 'Summer sale', monthlyBudget: 12_000 }),
    campaign('acme', 'cmp-enterprise', { name: 'Enterprise launch', monthlyBudget: 250_000 }),
    // The partner with the metrics of this campaign is down.
    { ...offline, metricsSource: 'partner', days: [] },
    // Three times as many clicks as impressions: an import of the wrong column.
    { ...broken, days: broken.days.map((day) => ({ ...day, clicks: day.impressions * 3 })) },
    campaign('globex', 'cmp-900', { name: 'Winter tires', monthlyBudget: 18_000 }),
  ]
}

function campaign(
  tenant: string,
  id: string,
  about: Pick<Demonstration, 'name' | 'monthlyBudget'>,
): Demonstration {
  const impressionsPerDay = Math.round(about.monthlyBudget * 3.2)
  return {
    tenant,
    id,
    ...about,
    metricsSource: 'store',
    days: makeDays(`${tenant}/${id}`, impressionsPerDay),
  }
}

function makeDays(seed: string, impressionsPerDay: number): DailyMetrics[] {
  const random = createRandom(seed)
  const segments = devices.flatMap((device) =>
    audiences.flatMap((audience) => creatives.map((creative) => ({ device, audience, creative }))),
  )
  return Array.from({ length: DAYS }, (_, index) => {
    const impressions = impressionsPerDay * (weekdays[index % weekdays.length] ?? 1)
    return segments.map((segment) => makeDay({ ...segment, index, impressions, random }))
  }).flat()
}

interface Making {
  readonly index: number
  readonly device: Effect
  readonly audience: Effect
  readonly creative: Effect
  readonly impressions: number
  readonly random: () => number
}

function makeDay({ index, device, audience, creative, impressions: all, random }: Making): DailyMetrics {
  const effects = [device, audience, creative]
  const product = (of: 'share' | 'clicks' | 'conversions') =>
    effects.reduce((total, each) => total * each[of], 1)
  // Random variation from day to day.
  const some = (expected: number) => Math.round(expected * (0.92 + 0.16 * random()))
  const impressions = some(all * product('share'))
  const clicks = Math.min(impressions, some(impressions * CTR * product('clicks')))
  const leads = Math.min(clicks, some(clicks * LEADS_PER_CLICK * product('conversions')))
  return {
    day: new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length),
    device: device.name,
    audience: audience.name,
    creative: creative.name,
    impressions,
    reach: Math.min(impressions, some(impressions * 0.62 * (1.4 - 0.3 * audience.clicks))),
    clicks,
    leads,
    qualifiedLeads: Math.min(leads, some(leads * 0.45 * audience.conversions)),
    conversions: Math.min(clicks, some(clicks * 0.05 * product('conversions'))),
    spendCents: some(clicks * CENTS_PER_CLICK),
  }
}

/** Pseudo-random numbers from 0 to 1, seeded by a text: a linear congruential generator (Numerical Recipes). */
function createRandom(seed: string): () => number {
  let state = [...seed].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7)
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
