import type { JobRunner } from './contract.ts'
import type { Lease } from './operation-leases.ts'
import { type Run, type RunOptions, startRun } from './operation-run.ts'
import type { OperationTable } from './operation-table.ts'
import type { OperationsSettings } from './operations-options.ts'

/** The worker of this process: leases operations and runs them. */
export interface Worker {
  /** Polls now instead of at the next interval. */
  nudge(): void
  /** Aborts the run of an operation, if it is in this process. */
  abort(operationId: string, reason: string): void
  close(): Promise<void>
}

interface WorkerState extends RunOptions {
  readonly runners: ReadonlyMap<string, JobRunner>
  readonly runs: Map<string, Run>
  readonly wakeUp: WakeUp
  closing: boolean
}

/** Starts the worker for the operations with runners. */
export function startWorker(runners: ReadonlyMap<string, JobRunner>, options: RunOptions): Worker {
  const state: WorkerState = { ...options, runners, runs: new Map(), wakeUp: createWakeUp(), closing: false }
  const taking = takeWork(state)
  const stopRenewing = startRenewing(state)
  return {
    nudge: state.wakeUp.signal,
    abort: (operationId, reason) => state.runs.get(operationId)?.abort(reason),
    async close() {
      state.closing = true
      state.wakeUp.signal()
      await taking
      await drain(state)
      stopRenewing()
    },
  }
}

/** Wakes a waiting loop. A signal before the wait is not lost. */
interface WakeUp {
  signal(): void
  /** Waits for a signal, up to this time. */
  wait(milliseconds: number): Promise<void>
}

function createWakeUp(): WakeUp {
  let signalled = Promise.withResolvers<void>()
  return {
    signal: () => signalled.resolve(),
    async wait(milliseconds) {
      const timer = setTimeout(signalled.resolve, milliseconds)
      await signalled.promise
      clearTimeout(timer)
      signalled = Promise.withResolvers<void>()
    },
  }
}

async function takeWork(state: WorkerState): Promise<void> {
  const { settings, runs, wakeUp } = state
  const leaseSafely = createLeaser(state)
  while (!state.closing) {
    const free = settings.workers - runs.size
    const leases = free > 0 ? await leaseSafely(free) : []
    for (const lease of leases) begin(state, lease)
    if (free <= 0 || leases.length < free) await wakeUp.wait(settings.pollMilliseconds)
  }
}

/** Retries an unavailable store at the next poll, and reports it once. */
function createLeaser({ table, settings, runners }: WorkerState) {
  const names = [...runners.keys()]
  let isAway = false
  return async function leaseSafely(free: number): Promise<readonly Lease[]> {
    try {
      const leases = await table.lease(names, free)
      isAway = false
      return leases
    } catch (cause) {
      if (!isAway) settings.onFault({ message: 'the store could not be asked for work', cause })
      isAway = true
      return []
    }
  }
}

function begin(state: WorkerState, lease: Lease): void {
  const { runs, runners, wakeUp } = state
  const { operationId, job } = lease
  const runner = runners.get(job.scope.operation)
  if (runner === undefined) return
  // The process was suspended for longer than its lease and has now leased the operation again.
  runs.get(operationId)?.abort('the lease was lost')
  const run = startRun(lease, runner, state)
  runs.set(operationId, run)
  run.ended.then(function forgetRun() {
    if (runs.get(operationId) === run) runs.delete(operationId)
    wakeUp.signal()
  })
}

/** Renews all leases of the process together, three times per lease time. */
function startRenewing(state: WorkerState): () => void {
  let isRenewing = false
  const beat = setInterval(
    async () => {
      abortOverdue(state)
      if (isRenewing) return
      isRenewing = true
      await renewAll(state)
      isRenewing = false
    },
    (state.settings.leaseSeconds * 1000) / 3,
  )
  return () => clearInterval(beat)
}

/** Aborts runs with an expired lease. While the store does not answer, another worker may already run them. */
function abortOverdue({ runs, settings }: WorkerState): void {
  const oldest = performance.now() - settings.leaseSeconds * 1000
  for (const run of runs.values()) {
    if (run.held.since < oldest && !run.isFinishing()) run.abort('the lease ran out')
  }
}

async function renewAll({ runs, table, settings }: WorkerState): Promise<void> {
  const renewing = [...runs.values()].filter((run) => !run.isFinishing())
  if (renewing.length === 0) return
  const since = performance.now()
  try {
    const held = await table.renew(renewing.map(({ lease }) => lease))
    for (const run of renewing) {
      if (held.has(run.lease.operationId)) run.held.since = since
      else run.abort('the lease was lost')
    }
  } catch (cause) {
    settings.onFault({ message: 'leases could not be renewed', cause })
  }
}

/** Waits for runs, up to `closeSeconds`; gives the rest back for other processes. */
async function drain({ runs, table, settings }: WorkerState): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, settings.closeSeconds * 1000)
  await Promise.race([Promise.all([...runs.values()].map(({ ended }) => ended)), late])
  clearTimeout(timer)
  const left = [...runs.values()]
  for (const run of left) run.abort('the service is closing')
  await Promise.all(left.map(({ lease }) => giveBack(table, settings, lease)))
}

async function giveBack(table: OperationTable, settings: OperationsSettings, lease: Lease): Promise<void> {
  try {
    await table.giveBack(lease)
  } catch (cause) {
    const { operationId } = lease
    settings.onFault({ message: 'a lease could not be given back; it ends by itself', cause, operationId })
  }
}
