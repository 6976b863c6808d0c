import type { Exchange } from './exchange.ts'

/** What the gateway is working on, and whether it can take more. */
export interface Load {
  readonly active: ReadonlySet<Exchange>
  /** Requests that are being worked on; open streams wait and do not count. */
  readonly inFlight: number
  enter(exchange: Exchange): void
  /** The exchange holds a stream slot from now on. */
  streamStarted(): void
  leave(exchange: Exchange): void
  isOverloaded(): boolean
  /** Resolves when nothing is active, or after `ms`. */
  idle(ms: number): Promise<boolean>
  close(): void
}

const SAMPLE_INTERVAL_MS = 100
const MAX_LOOP_DELAY_MS = 250
/** A hiccup of an idle process is no overload. */
const BUSY_COUNT = 64

/** Counts exchanges and watches how late the event loop runs. */
export function createLoad(maxInFlight: () => number): Load {
  const active = new Set<Exchange>()
  const waiting = new Set<() => void>()
  const delay = watchLoop()
  let streams = 0
  return {
    active,
    get inFlight() {
      return active.size - streams
    },
    enter: (exchange) => void active.add(exchange),
    streamStarted() {
      streams += 1
    },
    leave(exchange) {
      active.delete(exchange)
      if (exchange.releaseSlot !== undefined) streams -= 1
      if (active.size === 0) for (const wake of waiting) wake()
    },
    isOverloaded() {
      if (active.size < Math.min(BUSY_COUNT, maxInFlight())) return false
      return active.size - streams > maxInFlight() || delay.isLate()
    },
    idle(ms) {
      if (active.size === 0) return Promise.resolve(true)
      return new Promise((resolve) => {
        const done = (idle: boolean) => {
          clearTimeout(timer)
          waiting.delete(wake)
          resolve(idle)
        }
        const wake = () => done(true)
        const timer = setTimeout(() => done(false), ms)
        waiting.add(wake)
      })
    },
    close: delay.close,
  }
}

function watchLoop(): { isLate(): boolean; close(): void } {
  let expectedAt = performance.now() + SAMPLE_INTERVAL_MS
  let late = false
  const timer = setInterval(() => {
    const now = performance.now()
    late = now - expectedAt > MAX_LOOP_DELAY_MS
    expectedAt = now + SAMPLE_INTERVAL_MS
  }, SAMPLE_INTERVAL_MS)
  timer.unref()
  return { isLate: () => late, close: () => clearInterval(timer) }
}
