import type { RuntimeOptions } from './contract.ts'

/** A background fault, for the log. */
export interface BackgroundFault {
  readonly message: string
  readonly cause: unknown
  /** The affected operation, if there is one. */
  readonly operationId?: string
}

/** The options of background operations. */
export interface OperationsOptions extends RuntimeOptions {
  /** The number of attempts before an operation fails; 5 by default. */
  readonly maxAttempts?: number
  /** The pause before the second attempt, doubled for each further one; 1 second by default. */
  readonly backoffSeconds?: number
  /** The longest pause between two attempts; 60 seconds by default. */
  readonly maxBackoffSeconds?: number
  /** The time limit of a run, which then counts as failed; an hour by default. */
  readonly maxRunSeconds?: number
  /** The polling interval for jobs of other processes; 250 ms by default. */
  readonly pollMilliseconds?: number
  /** The time limit of `close` for runs before it gives them back; 10 seconds by default. */
  readonly closeSeconds?: number
  /** The time an ended operation stays visible; 30 days by default. */
  readonly keepSeconds?: number
  /** The number of operations of a tenant that wait or run; 1,000 by default. One more is refused with 429. */
  readonly maxOpenPerTenant?: number
  readonly onFault?: (fault: BackgroundFault) => void
}

/** The options with all defaults. */
export type OperationsSettings = Required<Omit<OperationsOptions, 'now'>>

// All open operations of a tenant are counted for each new one.
const MAX_LIMIT = 1_000_000

const defaults = {
  leaseSeconds: 30,
  workers: 4,
  maxAttempts: 5,
  backoffSeconds: 1,
  maxBackoffSeconds: 60,
  maxRunSeconds: 60 * 60,
  pollMilliseconds: 250,
  closeSeconds: 10,
  keepSeconds: 30 * 24 * 60 * 60,
  maxOpenPerTenant: 1000,
  onFault: () => undefined,
} satisfies OperationsSettings

/** Adds the defaults and checks the limit. `onFault` never throws, so that a failing log does not stop a worker. */
export function operationsSettings(options: OperationsOptions): OperationsSettings {
  const settings: OperationsSettings = { ...defaults, ...options }
  assertLimit(settings.maxOpenPerTenant)
  return {
    ...settings,
    onFault(fault) {
      try {
        settings.onFault(fault)
      } catch {
        // A failure of the log cannot be logged.
      }
    },
  }
}

function assertLimit(maxOpenPerTenant: number): void {
  if (Number.isInteger(maxOpenPerTenant) && maxOpenPerTenant > 0 && maxOpenPerTenant <= MAX_LIMIT) return
  throw new TypeError(
    `runtime.operations.maxOpenPerTenant must be an integer from 1 to ${MAX_LIMIT}, not ${maxOpenPerTenant}`,
  )
}
