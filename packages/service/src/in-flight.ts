/** The requests in flight. */
export interface InFlight {
  /** Aborted when the time limit of the drain is over. */
  readonly signal: AbortSignal
  isClosing(): boolean
  track<Result>(work: Promise<Result>): Promise<Result>
  /** Waits for all requests; after `withinMs` it aborts the rest and resolves. */
  drain(withinMs: number): Promise<void>
}

/** Tracks the requests in flight, so that `close` can wait for them. */
export function createInFlight(): InFlight {
  const controller = new AbortController()
  const running = new Set<Promise<unknown>>()
  let closing = false
  return {
    signal: controller.signal,
    isClosing: () => closing,
    track(work) {
      running.add(work)
      const forget = () => void running.delete(work)
      work.then(forget, forget)
      return work
    },
    async drain(withinMs) {
      closing = true
      const expired = Promise.withResolvers<void>()
      const timer = setTimeout(() => {
        controller.abort(new Error('the service is closing'))
        expired.resolve()
      }, withinMs)
      await Promise.race([allSettled(running), expired.promise])
      clearTimeout(timer)
    },
  }
}

async function allSettled(running: ReadonlySet<Promise<unknown>>): Promise<void> {
  while (running.size > 0) await Promise.allSettled(running)
}
