import { parseOwnJson, type Sql } from '@agentic-rest/service'
import type { CampaignKey } from '../campaigns/campaign.ts'
import type { Suggestion } from '../optimizer/suggestion.ts'
import type { Optimization } from './optimization.ts'

/** The key of an optimization. */
export interface OptimizationKey {
  readonly tenant: string
  readonly id: string
}

/** The key of the background operation of an optimization. */
export interface OperationKey {
  readonly tenant: string
  readonly operationId: string
}

/** A campaign and a goal; only one optimization works on it at a time. */
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
    suggestions: parseOwnJson(row.suggestions) as Optimization['suggestions'],
    createdAt: row.created_at.toISOString(),
  }
}

/** The holder of a new optimization: an operation, or a process with a time limit. */
export type Worker = { readonly operationId: string } | { readonly holdSeconds: number }

/** The owner of a stored optimization. */
export interface Beginning {
  readonly tenant: string
  readonly optimization: Optimization
  readonly worker: Worker
}

// The other optimization may end between two statements.
const ATTEMPTS_TO_BEGIN = 3

/** The conflict of a new optimization: the id of the other one, if it has not ended. */
export interface InTheWay {
  readonly inTheWay: string | undefined
}

/** Stores a new optimization as accepted, or returns the conflict. */
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

/** The id of the running optimization for a campaign and a goal, if there is one. */
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

/** An optimization, and its background operation if it has one. */
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

/** A position in the list of a campaign's optimizations. */
export interface ListPlace {
  readonly createdAt: string
  readonly id: string
}

/** The optimizations of a campaign after a position, newest first. */
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

/** Extends the hold of a process on an optimization; returns false if it has ended. */
export async function keepHold(sql: Sql, key: OptimizationKey, seconds: number): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'running', held_until = now() + $3::float8 * interval '1 second'
     WHERE tenant_id = $1 AND optimization_id = $2 AND ${IN_PROGRESS} RETURNING 1`,
    [key.tenant, key.id, seconds],
  )
  return rows.length > 0
}

/** Marks an optimization as running for its operation; returns nothing if it has ended. */
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

/** Completes an optimization with its suggestions; returns nothing if it has ended. */
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

/** Cancels an optimization without an operation; returns false if it has ended. */
export async function cancelOptimization(sql: Sql, { tenant, id }: OptimizationKey): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'cancelled'
     WHERE tenant_id = $1 AND optimization_id = $2 AND operation_id IS NULL AND ${IN_PROGRESS} RETURNING 1`,
    [tenant, id],
  )
  return rows.length > 0
}

/** Ends an optimization with the state of its operation. */
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

/** Completes optimizations with suggestions whose process died; resolves with their number. */
export async function completeForgotten(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'completed' WHERE ${IN_PROGRESS} AND held_until <= now() RETURNING 1`,
  )
  return rows.length
}
