import type { Sql } from '@agentic-rest/service'
import type { CampaignKey } from '../campaigns/campaign.ts'
import type { Suggestion } from '../optimizer/suggestion.ts'
import type { Optimization } from './optimization.ts'

/** Names an optimization of a tenant. */
export interface OptimizationKey {
  readonly tenant: string
  readonly id: string
}

/** The right to work on an optimization, until it is held no more or another attempt has begun. */
export interface Hold extends OptimizationKey {
  readonly attempt: number
  readonly optimization: Optimization
}

interface OptimizationRow {
  readonly optimization_id: string
  readonly campaign_id: string
  readonly goal: Optimization['goal']
  readonly status: Optimization['status']
  readonly suggestions: string
  readonly created_at: Date
  readonly attempt: number
}

const COLUMNS = 'optimization_id, campaign_id, goal, status, suggestions, created_at, attempt'
const IN_PROGRESS = `status IN ('accepted', 'running')`
const IS_MINE = `tenant_id = $1 AND optimization_id = $2 AND attempt = $3 AND ${IN_PROGRESS}`

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

function holdOf(tenant: string, row: OptimizationRow): Hold {
  return { tenant, id: row.optimization_id, attempt: row.attempt, optimization: fromRow(row) }
}

/** Who begins, and for how long it may be silent. */
export interface Beginning {
  readonly tenant: string
  readonly optimization: Optimization
  readonly holdSeconds: number
  /** Set for work in the background, which may have to begin again elsewhere. */
  readonly runner?: string | undefined
}

// The one that is in the way may end between two statements.
const ATTEMPTS_TO_BEGIN = 3

/** Keeps a new optimization as accepted; gives the id of the one that is in the way instead, if one is. */
export async function beginOptimization(
  sql: Sql,
  beginning: Beginning,
): Promise<Hold | { readonly inTheWay: string | undefined }> {
  let inTheWay: string | undefined
  for (let attempt = 0; attempt < ATTEMPTS_TO_BEGIN; attempt += 1) {
    const row = await insert(sql, beginning)
    if (row !== undefined) return holdOf(beginning.tenant, row)
    inTheWay = await findInProgress(sql, beginning)
    if (inTheWay !== undefined) break
  }
  return { inTheWay }
}

async function insert(sql: Sql, { tenant, optimization, holdSeconds, runner }: Beginning) {
  const { id, campaignId, goal, suggestions, createdAt } = optimization
  const [row] = await sql.query<OptimizationRow>(
    `INSERT INTO optimizations
       (tenant_id, optimization_id, campaign_id, goal, status, suggestions, created_at, held_until, runner)
     VALUES ($1, $2, $3, $4, 'accepted', $5, $6, now() + $7 * interval '1 second', $8)
     ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
    [tenant, id, campaignId, goal, JSON.stringify(suggestions), createdAt, holdSeconds, runner ?? null],
  )
  return row
}

async function findInProgress(sql: Sql, { tenant, optimization }: Beginning): Promise<string | undefined> {
  const { campaignId, goal } = optimization
  const [row] = await sql.query<Pick<OptimizationRow, 'optimization_id'>>(
    `SELECT optimization_id FROM optimizations
     WHERE tenant_id = $1 AND campaign_id = $2 AND goal = $3 AND ${IN_PROGRESS}`,
    [tenant, campaignId, goal],
  )
  return row?.optimization_id
}

/** Finds an optimization of a campaign. */
export async function findOptimization(
  sql: Sql,
  { tenant, campaignId, id }: CampaignKey & OptimizationKey,
): Promise<Optimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `SELECT ${COLUMNS} FROM optimizations WHERE tenant_id = $1 AND campaign_id = $2 AND optimization_id = $3`,
    [tenant, campaignId, id],
  )
  return row && fromRow(row)
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

/** Cancels what has not ended; gives it as it is then, or nothing when it has ended or is not there. */
export async function cancelOptimization(
  sql: Sql,
  { tenant, campaignId, id }: CampaignKey & OptimizationKey,
): Promise<Optimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET status = 'cancelled'
     WHERE tenant_id = $1 AND campaign_id = $2 AND optimization_id = $3 AND ${IN_PROGRESS} RETURNING ${COLUMNS}`,
    [tenant, campaignId, id],
  )
  return row && fromRow(row)
}

/** Says that the work goes on, for another while; false when it is no longer this attempt's. */
export async function keepHold(sql: Sql, { tenant, id, attempt }: Hold, seconds: number): Promise<boolean> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'running', held_until = now() + $4 * interval '1 second'
     WHERE ${IS_MINE} RETURNING 1`,
    [tenant, id, attempt, seconds],
  )
  return rows.length > 0
}

/** Ends an optimization with its suggestions; nothing when it is no longer this attempt's. */
export async function completeOptimization(
  sql: Sql,
  { tenant, id, attempt }: Hold,
  suggestions: readonly Suggestion[],
): Promise<Optimization | undefined> {
  const [row] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET status = 'completed', suggestions = $4, runner = NULL
     WHERE ${IS_MINE} RETURNING ${COLUMNS}`,
    [tenant, id, attempt, JSON.stringify(suggestions)],
  )
  return row && fromRow(row)
}

/** Ends an optimization that has no result. */
export async function failOptimization(sql: Sql, { tenant, id, attempt }: Hold): Promise<void> {
  await sql.query(`UPDATE optimizations SET status = 'failed', runner = NULL WHERE ${IS_MINE}`, [
    tenant,
    id,
    attempt,
  ])
}

/** Lets go of an optimization, so that the next attempt can begin at once. */
export async function letGo(sql: Sql, { tenant, id, attempt }: Hold): Promise<void> {
  await sql.query(`UPDATE optimizations SET held_until = now() WHERE ${IS_MINE}`, [tenant, id, attempt])
}

/** Cancels an optimization that is surely held; one that is not may already be worked on elsewhere. */
export async function cancelHeld(sql: Sql, { tenant, id, attempt }: Hold): Promise<void> {
  await sql.query(
    `UPDATE optimizations SET status = 'cancelled', runner = NULL WHERE ${IS_MINE} AND held_until > now()`,
    [tenant, id, attempt],
  )
}

/** What an earlier attempt of a runner has left. */
export type LeftBehind =
  | { readonly kind: 'nothing' }
  /** It was not ended, and this attempt has it now. */
  | { readonly kind: 'taken'; readonly hold: Hold }
  /** The earlier attempt may still work on it. */
  | { readonly kind: 'held' }
  /** It was ended by somebody else meanwhile; the runner knows it now. */
  | { readonly kind: 'ended'; readonly optimization: Optimization }

/** Takes up what an earlier attempt has left, when its process died or was stopped. */
export async function takeUp(
  sql: Sql,
  { tenant, runner, holdSeconds }: Omit<Beginning, 'optimization'>,
): Promise<LeftBehind> {
  const [taken] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET attempt = attempt + 1, held_until = now() + $3 * interval '1 second'
     WHERE tenant_id = $1 AND runner = $2 AND ${IN_PROGRESS} AND held_until <= now() RETURNING ${COLUMNS}`,
    [tenant, runner, holdSeconds],
  )
  if (taken !== undefined) return { kind: 'taken', hold: holdOf(tenant, taken) }
  const [ended] = await sql.query<OptimizationRow>(
    `UPDATE optimizations SET runner = NULL
     WHERE tenant_id = $1 AND runner = $2 AND NOT (${IN_PROGRESS}) RETURNING ${COLUMNS}`,
    [tenant, runner],
  )
  if (ended !== undefined) return { kind: 'ended', optimization: fromRow(ended) }
  const held = await sql.query('SELECT 1 FROM optimizations WHERE tenant_id = $1 AND runner = $2', [
    tenant,
    runner,
  ])
  return { kind: held.length > 0 ? 'held' : 'nothing' }
}

/** Completes what has its suggestions and was left by a process that died; says how many there were. */
export async function completeForgotten(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'completed'
     WHERE ${IN_PROGRESS} AND runner IS NULL AND held_until <= now() RETURNING 1`,
  )
  return rows.length
}

/** Fails what a runner has not come back to for so long; says how many there were. */
export async function failForsaken(sql: Sql, afterSeconds: number): Promise<number> {
  const rows = await sql.query(
    `UPDATE optimizations SET status = 'failed'
     WHERE ${IN_PROGRESS} AND runner IS NOT NULL AND held_until <= now() - $1 * interval '1 second' RETURNING 1`,
    [afterSeconds],
  )
  return rows.length
}
