import { randomUUID } from 'node:crypto'
import { clarificationRequired, created, defineOperation, type Operation } from '@agentic-rest/service'
import { z } from 'zod'
import { type Campaign, campaignBody, insertCampaign, toBody } from './campaign.ts'
import { contradictionIn, type DailyMetrics, dailyMetrics, readableText } from './metrics.ts'
import { insertDays } from './metrics-table.ts'

const MAX_NAME_LENGTH = 200
const MAX_BUDGET = 1_000_000_000
const MAX_DAYS = 5_000

const campaignInput = z.object({
  name: readableText(MAX_NAME_LENGTH)
    .describe('What is the campaign called?')
    .meta({ examples: ['Spring sale'] }),
  monthlyBudget: z.int().min(0).max(MAX_BUDGET).default(1_000).describe('What may it spend in a month?'),
  metrics: z.array(dailyMetrics).max(MAX_DAYS).default([]).describe('What was measured so far.'),
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
    check: ({ input }) => askAgain(input.metrics),
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

/** Asks again for rows that contradict each other. No schema can say which of them are right. */
function askAgain(rows: readonly DailyMetrics[]) {
  const contradiction = contradictionIn(rows)
  if (contradiction === undefined) return undefined
  return clarificationRequired({
    message: contradiction,
    requiredInputs: [
      {
        name: 'metrics',
        location: 'body',
        type: 'array',
        required: true,
        question: `${contradiction} What was measured?`,
      },
    ],
  })
}
