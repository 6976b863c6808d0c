import { error, failedDependency, type Outcome, type RequestContext, type Store } from '@agentic-rest/service'
import type { Campaign } from './campaign.ts'
import { type DailyMetrics, readDays } from './metrics.ts'
import { selectDays } from './metrics-table.ts'

/** The sources of metrics. */
export interface MetricsSources {
  readonly store: Store
  /** The address of the partner. */
  readonly partnerUrl: string
}

/** The days of a campaign, or an outcome with the reason why there are none. */
export type ReadMetrics =
  | { readonly ok: true; readonly days: readonly DailyMetrics[] }
  | { readonly ok: false; readonly outcome: Outcome }

const PARTNER_TIMEOUT_SECONDS = 5
// A slow partner is not down.
const PROBE_TIMEOUT_SECONDS = 1

/** Reads the metrics of a campaign from their source and checks them. */
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

/** Whether the source of a campaign's metrics is down. */
export async function isSourceAway(
  { partnerUrl }: MetricsSources,
  { id, metricsSource }: Campaign,
  { call }: Pick<RequestContext, 'call'>,
): Promise<boolean> {
  if (metricsSource === 'store') return false
  const answer = await call({ ...partnerRequest(partnerUrl, id), timeoutSeconds: PROBE_TIMEOUT_SECONDS })
  return answer.type === 'failed_dependency' && answer.code === 'DEPENDENCY_UNAVAILABLE'
}

/** The answer while the source of a campaign's metrics is down. */
export const metricsUnavailable = failedDependency({
  code: 'METRICS_UNAVAILABLE',
  message: 'The source of the metrics of this campaign does not answer.',
})

const unusable = error({
  code: 'METRICS_UNUSABLE',
  message: 'The metrics of this campaign cannot have been measured, so nothing can be computed from them.',
})
