/** SQL in the PostgreSQL dialect, with `$1` parameters; JSON is passed as text. */
export interface Sql {
  query<Row extends object = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<readonly Row[]>
  /** In a transaction: calls the hook once after the commit, never after a rollback. */
  readonly afterCommit?: (hook: () => void) => void
}

/** One migration of a service's tables. A released migration never changes. */
export interface MigrationStep {
  readonly name: string
  apply(sql: Sql): Promise<void>
}

/** The tables of a service, in the same store as those of the runtime. */
export interface OwnTables {
  /** A name for the service; unique among the services of a store. */
  readonly owner: string
  /** Oldest first. Each is applied once; all missing ones in one transaction. */
  readonly steps: readonly MigrationStep[]
}

/** The durable storage of a service. The same SQL runs on embedded PGlite and on PostgreSQL. */
export interface Store extends Sql {
  /** Runs `work` in one transaction. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Migrates the tables of the runtime, then those of the service. Several processes may call it at once. */
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

/** In memory, in a folder, or on a PostgreSQL server (`connections` at most, 10 by default). */
export type StoreOptions =
  | { readonly memory: true }
  | { readonly folder: string }
  | { readonly url: string; readonly connections?: number }

/** The store is not available: unreachable, stopped, out of resources, or too slow. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
  readonly code = 'STORE_UNAVAILABLE'
}

/** The folder of an embedded store is in use by another process or by another store of this process. */
export class StoreLockedError extends Error {
  override readonly name = 'StoreLockedError'
  readonly code = 'STORE_LOCKED'
}

/** Another request or worker has taken the idempotency key, operation or approval. This transaction must be rolled back. */
export class TakenOverError extends Error {
  override readonly name = 'TakenOverError'
  readonly code = 'TAKEN_OVER'
}

/**
 * SQLSTATEs that are not faults of the statement: connection, authorisation, no such database, deadlock and
 * serialisation, resources, lock or idle timeout, cancelled or shutting down, system and internal errors.
 */
const passingStates = /^(08|28|3D|40|53|55P03|25P03|25P04|57|58|XX)/

/**
 * Converts an error of a driver. A fault of the statement stays unchanged; everything else becomes a
 * `StoreUnavailableError`. `isLost` classifies errors that do not come from the database itself.
 */
export function toStoreError(error: unknown, isLost: (error: unknown) => boolean): unknown {
  const state = reportedState(error)
  const passes = state === undefined ? isLost(error) : passingStates.test(state)
  // The cause may contain hosts and addresses. It is only for the log.
  return passes ? new StoreUnavailableError('the store is not available', { cause: error }) : error
}

/** The SQLSTATE of an error. Only errors of the database have a severity; connection errors have other codes such as `EPIPE`. */
function reportedState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error && 'severity' in error))
    return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
