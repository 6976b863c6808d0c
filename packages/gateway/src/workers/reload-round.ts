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
  let votes = 0
  const { promise: verdict, resolve } = Promise.withResolvers<readonly string[]>()
  const end = (fault?: string) => {
    clearTimeout(timer)
    resolve(fault === undefined ? [...faults] : [...faults, fault])
  }
  const timer = setTimeout(() => end('a worker did not answer in time'), withinMs)
  const leave = (worker: Worker) => {
    missing.delete(worker)
    endIfComplete()
  }
  const endIfComplete = () => {
    if (missing.size > 0) return
    // What nobody has tried is not known to be good.
    end(votes === 0 ? 'no worker was there to try it' : undefined)
  }
  endIfComplete()
  return {
    verdict,
    leave,
    vote(worker, found) {
      votes += 1
      for (const fault of found) faults.add(fault)
      leave(worker)
      return verdict
    },
  }
}
