/** What a number of workers share. */
export interface Work {
  readonly count: number
  readonly workers: number
  readonly signal: AbortSignal
  /** Nothing is begun after this moment, as `performance.now()` has it. */
  readonly until?: number
  /** Told now and then how far it is. */
  readonly progress?: (done: number) => void
}

const PROGRESS_MS = 3000

/** Does `task` for every number below `count`, so many at a time, in order of their start. Gives how many were done. */
export async function doAll(
  { count, workers, signal, until = Number.POSITIVE_INFINITY, progress }: Work,
  task: (index: number, worker: number) => Promise<void>,
): Promise<number> {
  let next = 0
  let done = 0
  const timer = setInterval(() => progress?.(done), PROGRESS_MS)
  const work = async (worker: number) => {
    while (next < count && !signal.aborted && performance.now() < until) {
      const index = next
      next += 1
      await task(index, worker)
      done += 1
    }
  }
  try {
    await Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)))
    return done
  } finally {
    clearInterval(timer)
  }
}
