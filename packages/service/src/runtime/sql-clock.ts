import type { RuntimeOptions } from './contract.ts'

/**
 * The current time in statements of the runtime; parameter `$1` is the clock. All processes use the clock of the
 * database for leases. `clock_timestamp()`, because `now()` does not advance within a transaction.
 */
export const NOW = 'coalesce($1::timestamptz, clock_timestamp())'

/** Gives parameter `$1` of every statement: null, or the time set by a test. */
export type SqlClock = () => Date | null

/** Creates the clock of a runtime. */
export function createSqlClock({ now }: RuntimeOptions): SqlClock {
  return () => now?.() ?? null
}

/** SQL for a time in the future; `seconds` is a parameter such as `$2`. */
export function secondsFromNow(seconds: string): string {
  return `(${NOW} + ${seconds}::double precision * interval '1 second')`
}
