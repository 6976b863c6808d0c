/**
 * Lets one run at a time. Whoever asks during a run gets the next one, and all of them the same: the run under way may
 * have read what they want it to see before it was there.
 */
export function inTurn<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = (): Promise<T> => {
    running = run().finally(() => {
      running = undefined
    })
    return running
  }
  const startNext = () => {
    next = undefined
    return start()
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(startNext, startNext)
    return next
  }
}

/** Makes a queue: each piece of work starts when the one before has settled. */
export function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = last.then(work, work)
    last = done.catch(() => undefined)
    return done
  }
}
