import type { JobRunner } from './contract.ts'
import { type Run, type RunOptions, startRun } from './operation-run.ts'
import type { Lease, OperationTable } from './operation-table.ts'
import type { OperationsSettings } from './operations-options.ts'

/** The runs of this process. */
export interface Worker {
  /** Looks for work now instead of at the next poll. */
  nudge(): void
  /** Ends a run of this process, if the operation has one here. */
  abort(operationId: string, reason: string): void
  close(): Promise<void>
}

interface Floor extends RunOptions {
  readonly runners: ReadonlyMap<string, JobRunner>
  readonly runs: Map<string, Run>
  readonly bell: Bell
  closing: boolean
}

/** Starts to run operations for which there are runners. */
export function startWorker(runners: ReadonlyMap<string, JobRunner>, options: RunOptions): Worker {
  const floor: Floor = { ...options, runners, runs: new Map(), bell: createBell(), closing: false }
  const taking = takeWork(floor)
  const stopRenewing = startRenewing(floor)
  return {
    nudge: floor.bell.ring,
    abort: (operationId, reason) => floor.runs.get(operationId)?.abort(reason),
    async close() {
      floor.closing = true
      floor.bell.ring()
      await taking
      await drain(floor)
      stopRenewing()
    },
  }
}

/** Something to wait for; a ring is not lost when nobody waits yet. */
interface Bell {
  ring(): void
  /** Waits for a ring, at most so long. */
  wait(milliseconds: number): Promise<void>
}

function createBell(): Bell {
  let rung = Promise.withResolvers<void>()
  return {
    ring: () => rung.resolve(),
    async wait(milliseconds) {
      const timer = setTimeout(rung.resolve, milliseconds)
      await rung.promise
      clearTimeout(timer)
      rung = Promise.withResolvers<void>()
    },
  }
}

async function takeWork(floor: Floor): Promise<void> {
  const { settings, runs, bell } = floor
  const leaseSafely = createLeaser(floor)
  while (!floor.closing) {
    const free = settings.workers - runs.size
    const leases = free > 0 ? await leaseSafely(free) : []
    for (const lease of leases) begin(floor, lease)
    if (free <= 0 || leases.length < free) await bell.wait(settings.pollMilliseconds)
  }
}

/** A store that is away is asked again at the next poll, and reported once. */
function createLeaser({ table, settings, runners }: Floor) {
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

function begin(floor: Floor, lease: Lease): void {
  const { runs, runners, bell } = floor
  const { operationId, job } = lease
  const runner = runners.get(job.scope.operation)
  if (runner === undefined) return
  // The process was asleep for longer than its lease and has now got the operation a second time.
  runs.get(operationId)?.abort('the lease was lost')
  const run = startRun(lease, runner, floor)
  runs.set(operationId, run)
  run.ended.then(function forgetRun() {
    if (runs.get(operationId) === run) runs.delete(operationId)
    bell.ring()
  })
}

/** Renews all leases of the process together, three times in the time of a lease. */
function startRenewing(floor: Floor): () => void {
  let isRenewing = false
  const beat = setInterval(
    async () => {
      abortOverdue(floor)
      if (isRenewing) return
      isRenewing = true
      await renewAll(floor)
      isRenewing = false
    },
    (floor.settings.leaseSeconds * 1000) / 3,
  )
  return () => clearInterval(beat)
}

/** While the store does not answer, a lease ends unseen: somebody else may already work on it. */
function abortOverdue({ runs, settings }: Floor): void {
  const oldest = performance.now() - settings.leaseSeconds * 1000
  for (const run of runs.values()) {
    if (run.held.since < oldest && !run.isFinishing()) run.abort('the lease ran out')
  }
}

async function renewAll({ runs, table, settings }: Floor): Promise<void> {
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

/** Lets runs end for a while; the rest is given back for another process to run. */
async function drain({ runs, table, settings }: Floor): Promise<void> {
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
