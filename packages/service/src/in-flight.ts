/** The requests that a service is working on. */
export interface InFlight {
  /** Aborted when the time to close is over. */
  readonly signal: AbortSignal
  isClosing(): boolean
  track<Result>(work: Promise<Result>): Promise<Result>
  /** Resolves when nothing is left; what is left after `withinMs` is told to stop and not waited for. */
  drain(withinMs: number): Promise<void>
}

/** Keeps the requests in flight, so that closing can wait for them. */
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
