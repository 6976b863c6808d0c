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
