/** The workers' vote on one configuration. */
export interface ReloadRound<Worker> {
  /** Says what stands against it in one worker; resolves with what stands against it in any. */
  vote(worker: Worker, faults: readonly string[]): Promise<readonly string[]>
  /** The worker is gone: its place is filled by one that starts with what the others decide. */
  leave(worker: Worker): void
  readonly verdict: Promise<readonly string[]>
}

/** Begins a round. A worker that says nothing in time is a vote against it: half of a gateway never changes. */
export function createReloadRound<Worker>(workers: Iterable<Worker>, withinMs: number): ReloadRound<Worker> {
  const missing = new Set(workers)
  const faults = new Set<string>()
  const { promise: verdict, resolve } = Promise.withResolvers<readonly string[]>()
  const timer = setTimeout(() => {
    resolve([...faults, 'a worker did not answer in time'])
  }, withinMs)
  const leave = (worker: Worker) => {
    missing.delete(worker)
    if (missing.size > 0) return
    clearTimeout(timer)
    resolve([...faults])
  }
  return {
    verdict,
    leave,
    vote(worker, found) {
      for (const fault of found) faults.add(fault)
      leave(worker)
      return verdict
    },
  }
}
