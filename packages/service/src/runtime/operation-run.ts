import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from '@agentic-rest/profile'
import type { JobContext, JobRunner } from './contract.ts'
import { type Lease, type OperationTable, stateOf } from './operation-table.ts'
import type { OperationsSettings } from './operations-options.ts'
import { StoreUnavailableError, TakenOverError } from './store.ts'

/** A lease that is being worked on in this process. */
export interface Run {
  readonly lease: Lease
  /** Ends the run: it was cancelled, its lease is lost, or the service closes. Its operation is left as it is. */
  abort(reason: string): void
  /** While the run's own transaction has locked the operation, a renewal would only wait for it. */
  isFinishing(): boolean
  /** Since when the lease is known to hold, by the process's own clock in milliseconds. */
  readonly held: { since: number }
  /** Resolves when the operation has an outcome, was let go, or is no longer this run's; never rejects. */
  readonly ended: Promise<void>
}

/** What all runs of a process share. */
export interface RunOptions {
  readonly table: OperationTable
  readonly settings: OperationsSettings
}

interface Attempt extends RunOptions {
  readonly lease: Lease
  readonly runner: JobRunner
  readonly controller: AbortController
  /** How many calls of `finish` are under way, and whether one has succeeded. */
  readonly effect: { finishing: number; isKept: boolean }
}

/** Begins to run a lease. */
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
  // Who aborted a run has decided what becomes of its operation.
  if (result.kind === 'aborted' || attempt.effect.isKept) return
  await keep(attempt, result)
}

type Result =
  | { readonly kind: 'outcome'; readonly outcome: Outcome }
  | { readonly kind: 'thrown'; readonly cause: unknown }
  | { readonly kind: 'aborted' }

async function resultOf(attempt: Attempt): Promise<Result> {
  const { lease, controller, settings } = attempt
  // An attempt counts when it begins, for its process may die of it; nothing is left to try here.
  if (lease.attempt > settings.maxAttempts) return { kind: 'thrown', cause: new Error('its processes died') }
  const { promise, resolve } = Promise.withResolvers<Result>()
  // What a run that does not listen to its signal gives later is not waited for.
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

/** While the store is away the result is held on to; doing the work again would be worse. */
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

/** Doubles with every attempt; the random half keeps jobs that failed together from coming back together. */
function pauseSeconds(attempt: number, { backoffSeconds, maxBackoffSeconds }: OperationsSettings): number {
  const longest = Math.min(backoffSeconds * 2 ** (attempt - 1), maxBackoffSeconds)
  return longest * (0.5 + Math.random() / 2)
}
