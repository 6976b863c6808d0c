/** The work of several workers. */
export interface Work {
  readonly count: number
  readonly workers: number
  readonly signal: AbortSignal
  /** No task starts after this moment of `performance.now()`. */
  readonly until?: number
  /** Called from time to time with the number of finished tasks. */
  readonly progress?: (done: number) => void
}

const PROGRESS_MS = 3000

/** Runs `task` for every number below `count` with the given number of workers. Returns the number of finished tasks. */
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
