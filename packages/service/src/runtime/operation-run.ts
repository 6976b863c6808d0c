import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from '@agentic-rest/profile'
import type { JobContext, JobRunner } from './contract.ts'
import { stateOf } from './operation-ends.ts'
import type { Lease } from './operation-leases.ts'
import type { OperationTable } from './operation-table.ts'
import type { OperationsSettings } from './operations-options.ts'
import { StoreUnavailableError, TakenOverError } from './store.ts'

/** A run of a leased operation in this process. */
export interface Run {
  readonly lease: Lease
  /** Aborts the run after a cancellation, a lost lease or at the end of the service. The operation keeps its state. */
  abort(reason: string): void
  /** Whether the run's transaction holds the row lock. A renewal would only wait for it. */
  isFinishing(): boolean
  /** The last confirmation of the lease, by the process clock in milliseconds. */
  readonly held: { since: number }
  /** Resolves when the operation has an outcome, was given back, or belongs to another run. Never rejects. */
  readonly ended: Promise<void>
}

/** The options of all runs of a process. */
export interface RunOptions {
  readonly table: OperationTable
  readonly settings: OperationsSettings
}

interface Attempt extends RunOptions {
  readonly lease: Lease
  readonly runner: JobRunner
  readonly controller: AbortController
  /** The number of pending `finish` calls, and whether one has succeeded. */
  readonly effect: { finishing: number; isKept: boolean }
}

/** Starts a run of a leased operation. */
export function startRun(lease: Lease, runner: JobRunner, options: RunOptions): Run {
  const attempt: Attempt = {
    ...options,
    lease,
    runner,
    controller: new AbortController(),
    effect: { finishing: 0, isKept: false },
  }
  return {
    lease,
    abort: (reason) => attempt.controller.abort(new Error(reason)),
    isFinishing: () => attempt.effect.finishing > 0,
    held: { since: performance.now() },
    ended: runAttempt(attempt),
  }
}

async function runAttempt(attempt: Attempt): Promise<void> {
  const result = await resultOf(attempt)
  // After an abort, the caller of `abort` handles the operation.
  if (result.kind === 'aborted' || attempt.effect.isKept) return
  await keep(attempt, result)
}

type Result =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'thrown'; readonly cause: unknown }
  | { readonly kind: 'aborted' }

async function resultOf(attempt: Attempt): Promise<Result> {
  const { lease, controller, settings } = attempt
  // Attempts are counted at their start, because an attempt may kill its process. None is left here.
  if (lease.attempt > settings.maxAttempts) return { kind: 'thrown', cause: new Error('its processes died') }
  const { promise, resolve } = Promise.withResolvers<Result>()
  // A run that ignores its signal is not waited for.
  controller.signal.addEventListener('abort', () => resolve({ kind: 'aborted' }), { once: true })
  const timer = setTimeout(() => {
    const cause = new Error('the run took too long')
    resolve({ kind: 'thrown', cause })
    controller.abort(cause)
  }, settings.maxRunSeconds * 1000)
  callRunner(attempt).then(
    (outcome) => resolve({ kind: 'outcome', outcome }),
    (cause: unknown) => resolve({ kind: 'thrown', cause }),
  )
  const result = await promise
  clearTimeout(timer)
  return result
}

async function callRunner(attempt: Attempt): Promise<Outcome> {
  const { lease, runner, controller, table, effect } = attempt
  const finish: JobContext['finish'] = async (work) => {
    effect.finishing += 1
    try {
      const outcome = await table.finish(lease, work)
      effect.isKept ||= stateOf(outcome) === 'completed'
      return outcome
    } finally {
      effect.finishing -= 1
    }
  }
  const progress: JobContext['progress'] = (value) => table.progress(lease, value)
  return runner(lease.job, { operationId: lease.operationId, signal: controller.signal, progress, finish })
}

/** Stores the result, with retries while the store is unavailable. Running the job again would be worse. */
async function keep(attempt: Attempt, result: Exclude<Result, { kind: 'aborted' }>): Promise<void> {
  const { lease, controller, settings } = attempt
  const { operationId } = lease
  if (result.kind === 'thrown' && !(result.cause instanceof TakenOverError)) {
    settings.onFault({ message: 'a run in the background failed', cause: result.cause, operationId })
  }
  for (;;) {
    try {
      return await writeResult(attempt, result)
    } catch (cause) {
      settings.onFault({ message: 'the result of a run could not be kept', cause, operationId })
      if (controller.signal.aborted || !(cause instanceof StoreUnavailableError)) return
    }
    await delay(settings.pollMilliseconds)
  }
}

const failedOutcome: Outcome = {
  type: 'error',
  code: 'OPERATION_FAILED',
  message: 'The operation failed and is not tried again.',
}

function writeResult(attempt: Attempt, result: Exclude<Result, { kind: 'aborted' }>): Promise<void> {
  const { table, lease, settings } = attempt
  if (result.kind === 'outcome') return table.settle(lease, result.outcome)
  if (lease.attempt >= settings.maxAttempts) return table.settle(lease, failedOutcome)
  return table.retryIn(lease, pauseSeconds(lease.attempt, settings))
}

/** Exponential backoff. The random half spreads jobs that failed at the same time. */
function pauseSeconds(attempt: number, { backoffSeconds, maxBackoffSeconds }: OperationsSettings): number {
  const longest = Math.min(backoffSeconds * 2 ** (attempt - 1), maxBackoffSeconds)
  return longest * (0.5 + Math.random() / 2)
}
