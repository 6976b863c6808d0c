import type { Sql } from '@agentic-rest/service'
import type { ProductKey } from './stock.ts'

/** A recorded stock check. */
export interface StockCheck {
  readonly id: string
  readonly productId: string
  readonly warehouse: string
  readonly available: number
  /** The requester: a person, or an agent on behalf of one. */
  readonly checkedBy: string | null
  /** The person behind the agent. */
  readonly requestedFor: string | null
  readonly idempotencyKey: string | null
  readonly correlationId: string
  readonly checkedAt: string
}

/** A check to record. */
export interface NewCheck extends ProductKey, Omit<StockCheck, 'id'> {}

/** A page of a list and the cursor of the next page. */
export interface Page {
  readonly items: readonly StockCheck[]
  readonly next: string | null
}

/** Records a check; resolves with its id. */
export async function recordCheck(sql: Sql, check: NewCheck): Promise<string> {
  const [row] = await sql.query<{ position: string }>(
    `INSERT INTO stock_checks (tenant, product_id, warehouse_id, available, checked_by, requested_for,
       idempotency_key, correlation_id, checked_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING position::text AS position`,
    [
      check.tenant,
      check.productId,
      check.warehouse,
      check.available,
      check.checkedBy,
      check.requestedFor,
      check.idempotencyKey,
      check.correlationId,
      check.checkedAt,
    ],
  )
  return checkId(row?.position ?? '')
}

interface CheckRow extends Omit<StockCheck, 'id' | 'productId'> {
  readonly position: string
}

/** Reads checks of a product from a cursor, the latest first. */
export async function listChecks(
  sql: Sql,
  { tenant, productId, limit, cursor }: ProductKey & { readonly limit: number; readonly cursor?: number },
): Promise<Page> {
  const rows = await sql.query<CheckRow>(
    `SELECT position::text AS position, warehouse_id AS warehouse, available, checked_by AS "checkedBy",
       requested_for AS "requestedFor", idempotency_key AS "idempotencyKey", correlation_id AS "correlationId",
       to_char(checked_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS "checkedAt"
     FROM stock_checks WHERE tenant = $1 AND product_id = $2 AND position < $3
     ORDER BY stock_checks.position DESC LIMIT $4`,
    [tenant, productId, cursor ?? Number.MAX_SAFE_INTEGER, limit + 1],
  )
  const shown = rows.slice(0, limit)
  const items = shown.map(({ position, ...check }) => ({ id: checkId(position), productId, ...check }))
  return { items, next: rows.length > limit ? (shown.at(-1)?.position ?? null) : null }
}

function checkId(position: string): string {
  return `chk-${position}`
}
