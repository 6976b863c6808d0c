import type { Sql } from '@agentic-rest/service'
import type { CampaignKey } from '../campaigns/campaign.ts'
import type { Suggestion } from '../optimizer/suggestion.ts'
import type { Optimization } from './optimization.ts'

/** Names an optimization of a tenant. */
export interface OptimizationKey {
  readonly tenant: string
  readonly id: string
}

/** Names the operation in the background that an optimization belongs to. */
export interface OperationKey {
  readonly tenant: string
  readonly operationId: string
}

/** What there is one of at a time. */
export interface GoalKey extends CampaignKey {
  readonly goal: Optimization['goal']
}

interface OptimizationRow {
  readonly optimization_id: string
  readonly campaign_id: string
  readonly goal: Optimization['goal']
  readonly status: Optimization['status']
  readonly suggestions: string
  readonly created_at: Date
  readonly operation_id: string | null
}

const COLUMNS = 'optimization_id, campaign_id, goal, status, suggestions, created_at, operation_id'
const IN_PROGRESS = `status IN ('accepted', 'running')`

function fromRow(row: OptimizationRow): Optimization {
  return {
    id: row.optimization_id,
    campaignId: row.campaign_id,
    goal: row.goal,
    status: row.status,
    suggestions: JSON.parse(row.suggestions) as Optimization['suggestions'],
    createdAt: row.created_at.toISOString(),
  }
}

/** Who works on a new optimization: an operation that ends with it, or a process that may be silent for a while. */
export type Worker = { readonly operationId: string } | { readonly holdSeconds: number }

/** Whose an optimization is that is kept. */
export interface Beginning {
  readonly tenant: string
  readonly optimization: Optimization
  readonly worker: Worker
}

// The one that is in the way may end between two statements.
const ATTEMPTS_TO_BEGIN = 3

/** What is in the way of an optimization: the id of another one, unless that has ended meanwhile. */
export interface InTheWay {
  readonly inTheWay: string | undefined
}

/** Keeps a new optimization as accepted; says what is in the way instead, if something is. */
export async function beginOptimization(sql: Sql, beginning: Beginning): Promise<InTheWay | undefined> {
  const { tenant, optimization } = beginning
  let inTheWay: string | undefined
  for (let attempt = 0; attempt < ATTEMPTS_TO_BEGIN; attempt += 1) {
    if (await insert(sql, beginning)) return undefined
    inTheWay = await findInProgress(sql, { tenant, ...optimization })
    if (inTheWay !== undefined) break
  }
  return { inTheWay }
}

async function insert(sql: Sql, { tenant, optimization, worker }: Beginning): Promise<boolean> {
  const { id, campaignId, goal, suggestions, createdAt } = optimization
  const holdSeconds = 'holdSeconds' in worker ? worker.holdSeconds : null
  const operationId = 'operationId' in worker ? worker.operationId : null
  const rows = await sql.query(
    `INSERT INTO optimizations
       (tenant_id, optimization_id, campaign_id, goal, status, suggestions, created_at, held_until, operation_id)
     VALUES ($1, $2, $3, $4, 'accepted', $5, $6, now() + $7::float8 * interval '1 second', $8)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [tenant, id, campaignId, goal, JSON.stringify(suggestions), createdAt, holdSeconds, operationId],
  )
  return rows.length > 0
}

/** The id of the optimization that works towards a goal of a campaign, if one does. */
export async function findInProgress(
  sql: Sql,
  { tenant, campaignId, goal }: GoalKey,
): Promise<string | undefined> {
  const [row] = await sql.query<Pick<OptimizationRow, 'optimization_id'>>(
    `SELECT optimization_id FROM optimizations
     WHERE tenant_id = $1 AND campaign_id = $2 AND goal = $3 AND ${IN_PROGRESS}`,
    [tenant, campaignId, goal],
  )
  return row?.optimization_id
}

/** An optimization, and the operation that it belongs to when it was begun in the background. */
export interface FoundOptimization {
  readonly optimization: Optimization
  readonly operationId: string | undefined
}

/** Finds an optimization of a campaign. */
export async function findOptimization(
  sql: Sql,
  { tenant, campaignId, id }: CampaignKey & OptimizationKey,
): Promise<FoundOptimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `SELECT ${COLUMNS} FROM optimizations WHERE tenant_id = $1 AND campaign_id = $2 AND optimization_id = $3`,
    [tenant, campaignId, id],
  )
  return row && { optimization: fromRow(row), operationId: row.operation_id ?? undefined }
}

/** A place in the list of a campaign's optimizations. */
export interface ListPlace {
  readonly createdAt: string
  readonly id: string
}

/** The optimizations of a campaign that come after a place, newest first. */
export async function listOptimizations(
  sql: Sql,
  { tenant, campaignId }: CampaignKey,
  { after, limit }: { readonly after: ListPlace | undefined; readonly limit: number },
): Promise<readonly Optimization[]> {
  const rows = await sql.query<OptimizationRow>(
    `SELECT ${COLUMNS} FROM optimizations WHERE tenant_id = $1 AND campaign_id = $2
       AND ($3::timestamptz IS NULL OR (created_at, optimization_id) < ($3::timestamptz, $4::text))
     ORDER BY created_at DESC, optimization_id DESC LIMIT $5`,
    [tenant, campaignId, after?.createdAt ?? null, after?.id ?? null, limit],
  )
  return rows.map(fromRow)
}

/** Says that a process works on an optimization, for another while; false when it has ended meanwhile. */
export async function keepHold(sql: Sql, key: OptimizationKey, seconds: number): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'running', held_until = now() + $3::float8 * interval '1 second'
     WHERE tenant_id = $1 AND optimization_id = $2 AND ${IN_PROGRESS} RETURNING 1`,
    [key.tenant, key.id, seconds],
  )
  return rows.length > 0
}

/** Says that an operation works on its optimization; nothing when that has ended, and the operation with it. */
export async function runWithOperation(
  sql: Sql,
  { tenant, operationId }: OperationKey,
): Promise<Optimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET status = 'running'
     WHERE tenant_id = $1 AND operation_id = $2 AND ${IN_PROGRESS} RETURNING ${COLUMNS}`,
    [tenant, operationId],
  )
  return row && fromRow(row)
}

/** Ends an optimization with its suggestions; nothing when it has ended already. */
export async function completeOptimization(
  sql: Sql,
  { tenant, id }: OptimizationKey,
  suggestions: readonly Suggestion[],
): Promise<Optimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET status = 'completed', suggestions = $3
     WHERE tenant_id = $1 AND optimization_id = $2 AND ${IN_PROGRESS} RETURNING ${COLUMNS}`,
    [tenant, id, JSON.stringify(suggestions)],
  )
  return row && fromRow(row)
}

/** Cancels an optimization that no operation works on; false when it has ended already. */
export async function cancelOptimization(sql: Sql, { tenant, id }: OptimizationKey): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'cancelled'
     WHERE tenant_id = $1 AND optimization_id = $2 AND operation_id IS NULL AND ${IN_PROGRESS} RETURNING 1`,
    [tenant, id],
  )
  return rows.length > 0
}

/** Ends an optimization as its operation ends. */
export async function endWithOperation(
  sql: Sql,
  { tenant, operationId }: OperationKey,
  status: 'failed' | 'cancelled',
): Promise<void> {
  await sql.query(
    `UPDATE optimizations SET status = $3 WHERE tenant_id = $1 AND operation_id = $2 AND ${IN_PROGRESS}`,
    [tenant, operationId, status],
  )
}

/** Completes what has its suggestions and was left by a process that died; says how many there were. */
export async function completeForgotten(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'completed' WHERE ${IN_PROGRESS} AND held_until <= now() RETURNING 1`,
  )
  return rows.length
}
