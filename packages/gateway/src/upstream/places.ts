import type { CancelSignal } from '../exchange.ts'

/** Gives a place back; safe to call again. */
export type Release = () => void

/**
 * The places at one upstream: as many requests are with it as it may have connections, and a bounded line waits.
 * Whoever leaves the line frees its place at once.
 */
export interface Places {
  readonly taken: number
  readonly waiting: number
  /** Nobody can even wait. */
  readonly isFull: boolean
  /** A place now, or when it is the request's turn; `undefined` when the line is full. Rejects when the signal aborts. */
  take(signal: CancelSignal): Release | Promise<Release> | undefined
}

/** How many may be served, and how many may wait. */
export interface PlaceLimits {
  readonly places: number
  readonly waiting: number
}

/** Makes the places of one upstream; the line is first come, first served. */
export function createPlaces(limits: PlaceLimits): Places {
  const line = new Set<() => void>()
  let taken = 0
  const giveBack = () => {
    const [next] = line
    if (next === undefined) taken -= 1
    else next()
  }
  const isFull = () => taken >= limits.places && line.size >= limits.waiting
  return {
    get taken() {
      return taken
    },
    get waiting() {
      return line.size
    },
    get isFull() {
      return isFull()
    },
    take(signal) {
      if (isFull()) return undefined
      if (taken >= limits.places) return turn(line, signal).then(() => once(giveBack))
      taken += 1
      return once(giveBack)
    },
  }
}

/** Resolves when everybody before has left the line. The place is then the caller's. */
function turn(line: Set<() => void>, signal: CancelSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      line.delete(enter)
      reject(signal.reason)
    }
    const enter = () => {
      line.delete(enter)
      signal.removeEventListener('abort', leave)
      resolve()
    }
    line.add(enter)
    signal.addEventListener('abort', leave)
  })
}

function once(run: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    run()
  }
}
