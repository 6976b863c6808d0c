import type { SqlClock } from './sql-clock.ts'
import { NOW } from './sql-clock.ts'
import type { Sql } from './store.ts'

// Small, so that a sweep never holds many locks or, embedded, the connection for long.
const BATCH = 512
const PAUSE_MS = 60_000

/** What may be removed: rows of `table` for which `isOld` holds, told apart by `key`. */
interface Sweepable {
  readonly table: string
  readonly key: string
  /** A condition in which `now` stands for the time. */
  readonly isOld: (now: string) => string
}

/** Removes one small batch of old rows and says how many there were; another process's batch is stepped over. */
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
 * Makes a function that is called on every use of a table and sweeps in the background about once a minute, or again
 * at once while batches are full. What is not used does not grow, so it needs no timer of its own.
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
      // Rows that could not be removed now are removed by a later sweep.
      () => undefined,
    )
  }
}
