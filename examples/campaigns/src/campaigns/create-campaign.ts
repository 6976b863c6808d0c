import { randomUUID } from 'node:crypto'
import { created, defineOperation, type Operation } from '@agentic-rest/service'
import { z } from 'zod'
import { type Campaign, campaignBody, insertCampaign, toBody } from './campaign.ts'
import { type DailyMetrics, dailyMetrics, dimensionNames } from './metrics.ts'
import { insertDays } from './metrics-table.ts'

const MAX_NAME_LENGTH = 200
const MAX_BUDGET = 1_000_000_000
const MAX_DAYS = 5_000

const campaignInput = z.object({
  name: z
    .string()
    .min(1)
    .max(MAX_NAME_LENGTH)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not have control characters or half of a surrogate pair')
    .describe('What is the campaign called?'),
  monthlyBudget: z.int().min(0).max(MAX_BUDGET).default(1_000).describe('What may it spend in a month?'),
  metrics: z
    .array(dailyMetrics)
    .max(MAX_DAYS)
    .refine(areDistinct, 'must not have two rows for the same day, device, audience and creative')
    .default([])
    .describe('What was measured so far.'),
})

/** `POST /campaigns`. */
export function createCampaign(): Operation {
  return defineOperation({
    id: 'create-campaign',
    method: 'POST',
    path: '/campaigns',
    summary: 'Creates a campaign.',
    input: campaignInput,
    output: { created: campaignBody },
    outcomes: ['created', 'clarification_required', 'validation_failed'],
    idempotent: true,
    run({ tenant, input: { metrics, ...about }, commit, audit }) {
      const id = `cmp-${randomUUID()}`
      const campaign: Campaign = { id, ...about, metricsSource: 'store', createdAt: new Date().toISOString() }
      audit.set({ resource_id: id })
      return commit(async (sql) => {
        await insertCampaign(sql, tenant, campaign)
        await insertDays(sql, { tenant, campaignId: id }, metrics)
        return created(toBody(campaign), { location: `/campaigns/${id}` })
      })
    },
  })
}

function areDistinct(rows: readonly DailyMetrics[]): boolean {
  const keys = rows.map((row) => JSON.stringify([row.day, ...dimensionNames.map((name) => row[name])]))
  return new Set(keys).size === rows.length
}
