/** SQL in the PostgreSQL dialect, with `$1` parameters; JSON is passed as text. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]>
  /** In a transaction: called once when it has been committed, never when it was rolled back. */
  readonly afterCommit?: (hook: () => void) => void
}

/** One step of a service's own tables. A step that was released is never changed; the next one changes the tables. */
export interface MigrationStep {
  readonly name: string
  apply(sql: Sql): Promise<void>
}

/** The tables that a service has beside those of the runtime, in the same store. */
export interface OwnTables {
  /** Whose they are: services that share a store have different names. */
  readonly owner: string
  /** Oldest first; each is applied once, all that are missing in one transaction. */
  readonly steps: readonly MigrationStep[]
}

/** Where a service keeps what must survive it. The same SQL runs on PGlite, embedded, and on PostgreSQL. */
export interface Store extends Sql {
  /** Runs `work` in one transaction: all of it is kept or nothing. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Brings the tables of the runtime up to date, and then those of the service; safe to call from several processes at once. */
  migrate(own?: OwnTables): Promise<void>
  close(): Promise<void>
}

/** A database behind a store. It throws `StoreUnavailableError` when it cannot be used. */
export interface Driver {
  query(text: string, parameters: readonly unknown[]): Promise<readonly object[]>
  /** Runs `work` between BEGIN and COMMIT, with ROLLBACK when it throws. */
  transaction<T>(work: (query: Driver['query']) => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** In memory, in a folder, or in a PostgreSQL server (`connections` at most, 10 unless set). */
export type StoreOptions =
  | { readonly memory: true }
  | { readonly folder: string }
  | { readonly url: string; readonly connections?: number }

/** The store cannot be used now: not reachable, stopped, out of resources, or too slow. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'STORE_UNAVAILABLE'
}

/** The folder of an embedded store is in use by another process, or by another store of this one. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly code = 'STORE_LOCKED'
}

/** Somebody else has an idempotency key, an operation or an approval by now: what this one did must be rolled back. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError'
  readonly code = 'TAKEN_OVER'
}

/**
 * SQLSTATEs that say nothing about the statement: connection, authorisation, no such database, deadlock and
 * serialisation, resources, locked or idle for too long, cancelled or shutting down, system and internal errors.
 */
const passingStates = /^(08|28|3D|40|53|55P03|25P03|25P04|57|58|XX)/

/**
 * Turns what a driver threw into what callers see: a fault of the statement stays what it is, everything else is an
 * unavailable store. `isLost` judges errors that the database itself did not report.
 */
export function toStoreError(error: unknown, isLost: (error: unknown) => boolean): unknown {
  const state = reportedState(error)
  const passes = state === undefined ? isLost(error) : passingStates.test(state)
  // The cause names hosts and addresses; it is for the log.
  return passes ? new StoreUnavailableError('the store is not available', { cause: error }) : error
}

/** Only what the database reports has a severity; a failed connection has a code as well, such as `EPIPE`. */
function reportedState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error && 'severity' in error))
    return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
