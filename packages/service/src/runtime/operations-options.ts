import type { RuntimeOptions } from './contract.ts'

/** Something went wrong in the background, where nobody waits for an answer; it is for the log. */
export interface BackgroundFault {
  readonly message: string
  readonly cause: unknown
  /** The operation it happened to, if it was one. */
  readonly operationId?: string
}

/** How operations in the background are run. */
export interface OperationsOptions extends RuntimeOptions {
  /** How often a run that throws, or whose process dies, is begun before the operation has failed: 5 unless set. */
  readonly maxAttempts?: number
  /** The wait before the second attempt, doubled for each one after it: 1 second unless set. */
  readonly backoffSeconds?: number
  /** The longest wait between two attempts: 60 seconds unless set. */
  readonly maxBackoffSeconds?: number
  /** A run that takes longer is aborted and counts as failed: an hour unless set. */
  readonly maxRunSeconds?: number
  /** How often the store is asked for work that came from another process: every 250 ms unless set. */
  readonly pollMilliseconds?: number
  /** How long `close` lets runs end before it gives them back: 10 seconds unless set. */
  readonly closeSeconds?: number
  /** How long an operation can be seen after its end: 30 days unless set. */
  readonly keepSeconds?: number
  readonly onFault?: (fault: BackgroundFault) => void
}

/** The options with every default filled in. */
export type OperationsSettings = Required<Omit<OperationsOptions, 'now'>>

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
  onFault: () => undefined,
} satisfies OperationsSettings

/** Fills in the defaults. What happens in the log never disturbs the work. */
export function operationsSettings(options: OperationsOptions): OperationsSettings {
  const settings: OperationsSettings = { ...defaults, ...options }
  return {
    ...settings,
    onFault(fault) {
      try {
        settings.onFault(fault)
      } catch {
        // There is nobody left to tell.
      }
    },
  }
}
