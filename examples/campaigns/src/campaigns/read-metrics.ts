import { error, failedDependency, type Outcome, type RequestContext, type Store } from '@agentic-rest/service'
import type { Campaign } from './campaign.ts'
import { type DailyMetrics, readDays } from './metrics.ts'
import { selectDays } from './metrics-table.ts'

/** Where metrics are read from. */
export interface MetricsSources {
  readonly store: Store
  /** Where the partner is asked for the metrics of its campaigns. */
  readonly partnerUrl: string
}

/** The days of a campaign, or the outcome that says why there are none. */
export type ReadMetrics =
  | { readonly ok: true; readonly days: readonly DailyMetrics[] }
  | { readonly ok: false; readonly outcome: Outcome }

const PARTNER_TIMEOUT_SECONDS = 5
// A partner that is slow is not away.
const PROBE_TIMEOUT_SECONDS = 1

/** Reads what was measured, from where it is kept, and judges it. */
export async function readMetrics(
  sources: MetricsSources,
  campaign: Campaign,
  context: Pick<RequestContext, 'tenant' | 'call' | 'log'>,
): Promise<ReadMetrics> {
  const rows = await fetchRows(sources, campaign, context)
  if (rows === undefined) return { ok: false, outcome: metricsUnavailable }
  const days = readDays(rows)
  if (days !== undefined) return { ok: true, days }
  context.log.error('the metrics of a campaign are unusable', { campaignId: campaign.id })
  return { ok: false, outcome: unusable }
}

async function fetchRows(
  { store, partnerUrl }: MetricsSources,
  { id, metricsSource }: Campaign,
  { tenant, call }: Pick<RequestContext, 'tenant' | 'call'>,
): Promise<unknown> {
  if (metricsSource === 'store') return selectDays(store, { tenant, campaignId: id })
  const answer = await call<{ days?: unknown }>({
    ...partnerRequest(partnerUrl, id),
    timeoutSeconds: PARTNER_TIMEOUT_SECONDS,
  })
  return answer.type === 'success' ? (answer.body.days ?? null) : undefined
}

function partnerRequest(baseUrl: string, campaignId: string) {
  const path = '/campaigns/{campaignId}/metrics'
  return { baseUrl, method: 'GET', path, params: { campaignId } } as const
}

/** Whether it can be known at once that the metrics of a campaign cannot be had: nobody answers at its source. */
export async function isSourceAway(
  { partnerUrl }: MetricsSources,
  { id, metricsSource }: Campaign,
  { call }: Pick<RequestContext, 'call'>,
): Promise<boolean> {
  if (metricsSource === 'store') return false
  const answer = await call({ ...partnerRequest(partnerUrl, id), timeoutSeconds: PROBE_TIMEOUT_SECONDS })
  return answer.type === 'failed_dependency' && answer.code === 'DEPENDENCY_UNAVAILABLE'
}

/** The answer while the source of a campaign's metrics is away. */
export const metricsUnavailable = failedDependency({
  code: 'METRICS_UNAVAILABLE',
  message: 'The source of the metrics of this campaign does not answer.',
})

const unusable = error({
  code: 'METRICS_UNUSABLE',
  message: 'The metrics of this campaign cannot have been measured, so nothing can be computed from them.',
})
