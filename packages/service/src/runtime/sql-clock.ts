import type { RuntimeOptions } from './contract.ts'

/**
 * The time in every statement of the runtime, whose first parameter is the clock's. Leases of several processes are
 * judged by one clock, the database's; `clock_timestamp()`, because the one of a transaction stands still.
 */
export const NOW = 'coalesce($1::timestamptz, clock_timestamp())'

/** Gives the first parameter of every statement: nothing, or the time that a test wants it to be. */
export type SqlClock = () => Date | null

/** Makes the clock of a runtime. */
export function createSqlClock({ now }: RuntimeOptions): SqlClock {
  return () => now?.() ?? null
}

/** SQL for a time that is so many seconds after now; `seconds` is a parameter such as `$2`. */
export function secondsFromNow(seconds: string): string {
  return `(${NOW} + ${seconds}::double precision * interval '1 second')`
}
