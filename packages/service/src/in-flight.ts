/** The requests in flight. */
export interface InFlight {
  /** Aborted when the time limit of the drain is over. */
  readonly signal: AbortSignal
  isClosing(): boolean
  track<Result>(work: Promise<Result>): Promise<Result>
  /** Tracks a stream until its last frame was taken. */
  trackStream(end: Promise<unknown>): void
  /** Waits for all requests; after `withinMs` it aborts the rest and resolves. */
  drain(withinMs: number): Promise<void>
}

// After the time limit a stream still gets its last frame, if its reader takes it at once.
const LAST_FRAME_MS = 1000

/** Tracks the requests in flight, so that `close` can wait for them. */
export function createInFlight(): InFlight {
  const controller = new AbortController()
  const running = new Set<Promise<unknown>>()
  const streams = new Set<Promise<unknown>>()
  let closing = false
  const add = (set: Set<Promise<unknown>>, work: Promise<unknown>) => {
    set.add(work)
    const forget = () => void set.delete(work)
    work.then(forget, forget)
  }
  return {
    signal: controller.signal,
    isClosing: () => closing,
    track(work) {
      add(running, work)
      return work
    },
    trackStream: (end) => add(streams, end),
    async drain(withinMs) {
      closing = true
      const isDone = await within(withinMs, allSettled(running, streams))
      if (isDone) return
      controller.abort(new Error('the service is closing'))
      await within(LAST_FRAME_MS, allSettled(streams))
    },
  }
}

/** Whether work ends within a time. */
async function within(ms: number, work: Promise<void>): Promise<boolean> {
  const expired = Promise.withResolvers<false>()
  const timer = setTimeout(() => expired.resolve(false), ms)
  const isDone = await Promise.race([work.then(() => true), expired.promise])
  clearTimeout(timer)
  return isDone
}

async function allSettled(...sets: readonly ReadonlySet<Promise<unknown>>[]): Promise<void> {
  while (sets.some(({ size }) => size > 0)) await Promise.allSettled(sets.flatMap((set) => [...set]))
}
