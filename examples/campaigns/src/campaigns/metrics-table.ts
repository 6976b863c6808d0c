import type { Sql } from '@agentic-rest/service'
import type { CampaignKey } from './campaign.ts'
import { type DailyMetrics, MAX_ROWS } from './metrics.ts'

/** Stores days of a campaign, as one text: thousands of parameters would be slow. */
export async function insertDays(
  sql: Sql,
  { tenant, campaignId }: CampaignKey,
  days: readonly DailyMetrics[],
): Promise<void> {
  const rows = days.map((day) => ({ tenant_id: tenant, campaign_id: campaignId, ...day }))
  await sql.query(
    `INSERT INTO daily_metrics SELECT * FROM json_populate_recordset(NULL::daily_metrics, $1::json)`,
    [JSON.stringify(rows)],
  )
}

/** The stored days of a campaign, oldest first, not checked. */
export function selectDays(sql: Sql, { tenant, campaignId }: CampaignKey): Promise<readonly object[]> {
  return sql.query(
    `SELECT day::text AS day, device, audience, creative, impressions, reach, clicks, leads, "qualifiedLeads",
       conversions, "spendCents" FROM daily_metrics
     WHERE tenant_id = $1 AND campaign_id = $2 ORDER BY day, device, audience, creative LIMIT $3`,
    [tenant, campaignId, MAX_ROWS + 1],
  )
}
