import { error, type Sql } from '@agentic-rest/service'
import { z } from 'zod'

/** The schema of a campaign in answers. */
export const campaignBody = z.object({
  id: z.string(),
  name: z.string(),
  monthlyBudget: z.int().describe('In whole units of the currency.'),
  createdAt: z.string(),
})

/** A campaign in answers. */
export type CampaignBody = z.infer<typeof campaignBody>

/** The source of a campaign's metrics: this service, or a partner. */
export type MetricsSource = 'store' | 'partner'

/** A stored campaign. */
export interface Campaign extends CampaignBody {
  readonly metricsSource: MetricsSource
}

/** The key of a campaign. Every key contains the tenant, so that tenants cannot see each other's data. */
export interface CampaignKey {
  readonly tenant: string
  readonly campaignId: string
}

interface CampaignRow {
  readonly campaign_id: string
  readonly name: string
  readonly monthly_budget: number
  readonly metrics_source: MetricsSource
  readonly created_at: Date
}

/** Finds a campaign of a tenant. */
export async function findCampaign(
  sql: Sql,
  { tenant, campaignId }: CampaignKey,
): Promise<Campaign | undefined> {
  const [row] = await sql.query<CampaignRow>(
    `SELECT campaign_id, name, monthly_budget, metrics_source, created_at FROM campaigns
     WHERE tenant_id = $1 AND campaign_id = $2`,
    [tenant, campaignId],
  )
  return row && fromRow(row)
}

function fromRow(row: CampaignRow): Campaign {
  return {
    id: row.campaign_id,
    name: row.name,
    monthlyBudget: row.monthly_budget,
    metricsSource: row.metrics_source,
    createdAt: row.created_at.toISOString(),
  }
}

/** Stores a new campaign. */
export async function insertCampaign(sql: Sql, tenant: string, campaign: Campaign): Promise<void> {
  const { id, name, monthlyBudget, metricsSource, createdAt } = campaign
  await sql.query(
    `INSERT INTO campaigns (tenant_id, campaign_id, name, monthly_budget, metrics_source, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [tenant, id, name, monthlyBudget, metricsSource, createdAt],
  )
}

/** The public part of a campaign. */
export function toBody({ id, name, monthlyBudget, createdAt }: Campaign): CampaignBody {
  return { id, name, monthlyBudget, createdAt }
}

/** The answer for an unknown campaign. */
export function noCampaign() {
  return error({ code: 'NOT_FOUND', message: 'There is no such campaign.', condition: 'not_found' })
}
