import type { SqlClock } from './sql-clock.ts'
import { NOW } from './sql-clock.ts'
import type { Sql } from './store.ts'

// Small, so that a sweep does not hold many locks, or the only connection of an embedded database, for long.
const BATCH = 512
const PAUSE_MS = 60_000

/** The rows to remove: those of `table` with `isOld`, identified by `key`. */
interface Sweepable {
  readonly table: string
  readonly key: string
  /** The SQL condition; `now` is the SQL for the current time. */
  readonly isOld: (now: string) => string
}

/** Removes one batch of old rows; resolves with their number. It skips rows locked by another process. */
export async function sweep(sql: Sql, clock: SqlClock, { table, key, isOld }: Sweepable): Promise<number> {
  const removed = await sql.query(
    `DELETE FROM ${table} WHERE (${key}) IN (
      SELECT ${key} FROM ${table} WHERE ${isOld(NOW)} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
    ) RETURNING tenant_id`,
    [clock()],
  )
  return removed.length
}

/**
 * Creates a function to call on every use of a table. It sweeps in the background about once a minute, or at once while
 * batches are full. An unused table does not grow, so no timer is needed.
 */
export function createSweeper(sweepOnce: () => Promise<number>): () => void {
  let nextAt = 0
  return function sweepWhenDue() {
    if (performance.now() < nextAt) return
    nextAt = performance.now() + PAUSE_MS
    sweepOnce().then(
      (removed) => {
        if (removed >= BATCH) nextAt = 0
      },
      // A later sweep removes the rows.
      () => undefined,
    )
  }
}
