import { setTimeout as pause } from 'node:timers/promises'
import { conflict, defineOperation, type Operation, success } from '@agentic-rest/service'
import { z } from 'zod'
import { findCampaign, noCampaign } from './campaign.ts'
import { createForecaster, type ForecastDay, type Forecaster } from './forecast.ts'
import { type MetricsSources, readMetrics } from './read-metrics.ts'

const MAX_DAYS = 365
const USUAL_DAYS = 14

const expected = z.object({ expected: z.int(), low: z.int(), high: z.int() })
const forecastBody = z.object({
  campaignId: z.string(),
  days: z.int(),
  clicks: expected.describe('The sum of all days, and where it is in 95 of 100 cases.'),
  daily: z.array(z.object({ day: z.string(), clicks: expected })),
})

/** The options of forecasts. */
export interface ForecastOptions extends MetricsSources {
  /** The added duration of each day. */
  readonly dayMs: number
}

/** `GET /campaigns/{campaignId}/forecast`. Days are computed one by one, so that many days take long. */
export function forecastCampaign(options: ForecastOptions): Operation {
  return defineOperation({
    id: 'forecast-campaign',
    method: 'GET',
    path: '/campaigns/{campaignId}/forecast',
    summary: 'Forecasts the clicks of the next days.',
    input: z.object({
      campaignId: z.string(),
      days: z.int().min(1).max(MAX_DAYS).default(USUAL_DAYS).describe('How many days?'),
    }),
    output: { success: forecastBody },
    outcomes: ['success', 'validation_failed', 'conflict', 'failed_dependency', 'error'],
    async run(context) {
      const { tenant, signal } = context
      const { campaignId, days } = context.input
      const campaign = await findCampaign(options.store, { tenant, campaignId })
      if (campaign === undefined) return noCampaign()
      const metrics = await readMetrics(options, campaign, context)
      if (!metrics.ok) return metrics.outcome
      const forecaster = createForecaster(metrics.days)
      if (forecaster === undefined) return noMetrics(campaignId)
      const daily = await tellDays(forecaster, { days, dayMs: options.dayMs, signal })
      return success({ campaignId, days, clicks: forecaster.total(days), daily })
    },
  })
}

interface Pace {
  readonly days: number
  readonly dayMs: number
  readonly signal: AbortSignal
}

/** Throws when the caller has left. */
async function tellDays({ tell }: Forecaster, { days, dayMs, signal }: Pace): Promise<ForecastDay[]> {
  const daily: ForecastDay[] = []
  while (daily.length < days) {
    daily.push(tell(daily.length + 1))
    await pause(dayMs, undefined, { signal })
  }
  return daily
}

function noMetrics(campaignId: string) {
  const message = 'Nothing was measured for this campaign yet, so nothing can be told about its next days.'
  return conflict({ code: 'NO_METRICS', message, conflictingResourceId: campaignId })
}
