import type { Sql } from './store.ts'

/**
 * The SQL function that counts the open operations of a tenant, up to `most`. It is part of a released migration and never
 * changes. Its lock lasts until the end of the transaction, so that no second transaction of the tenant counts before the
 * first has committed.
 */
export const OPEN_FUNCTION = `
CREATE FUNCTION agentic_count_open(tenant text, most bigint) RETURNS bigint
LANGUAGE plpgsql SET enable_sort = off SET enable_bitmapscan = off SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('agentic_operations ' || tenant, 0));
  RETURN (
    SELECT count(*) FROM (
      SELECT 1 FROM agentic_operations
      WHERE tenant_id COLLATE "C" >= tenant AND tenant_id COLLATE "C" <= tenant AND state = 'working'
      ORDER BY tenant_id COLLATE "C", available_at LIMIT most
    ) AS open
  );
END
$$`

/** The tenant has as many open operations as it may have. This transaction must be rolled back. */
export class OpenLimitError extends Error {
  override readonly name = 'OpenLimitError'
  readonly limit: number

  constructor(limit: number) {
    super(`the tenant has ${limit} open operations`)
    this.limit = limit
  }
}

/**
 * The condition for another operation of tenant `$2` with the limit `$10`, before its transaction does more. It takes no
 * lock and does not see transactions that have not committed; `assertWithinLimit` decides.
 */
export const HAS_ROOM = `NOT EXISTS (
  SELECT 1 FROM agentic_operations
  WHERE tenant_id COLLATE "C" >= $2 AND tenant_id COLLATE "C" <= $2 AND state = 'working'
  ORDER BY tenant_id COLLATE "C", available_at OFFSET $10::bigint - 1 LIMIT 1
)`

/**
 * Throws if the transaction has inserted more operations than the tenant may have open. It is the last statement that may
 * wait: until the commit it keeps out other transactions of the tenant with new operations.
 */
export async function assertWithinLimit(sql: Sql, tenantId: string, limit: number): Promise<void> {
  const [row] = await sql.query<{ open: number }>('SELECT agentic_count_open($1, $2)::int AS open', [
    tenantId,
    limit + 1,
  ])
  if (row !== undefined && row.open > limit) throw new OpenLimitError(limit)
}
