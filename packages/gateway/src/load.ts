import { type ActiveExchanges, createActiveExchanges } from './active-exchanges.ts'

/** What the gateway is working on, whatever configuration it began with, and whether it can take more. */
export interface Load extends ActiveExchanges {
  /** Requests that are being worked on; open streams wait and do not count. */
  readonly inFlight: number
  /** The exchange holds a stream slot from now on. */
  streamStarted(): void
  isOverloaded(): boolean
  close(): void
}

const SAMPLE_INTERVAL_MS = 100
const MAX_LOOP_DELAY_MS = 250
/** A hiccup of an idle process is no overload. */
const BUSY_COUNT = 64

/** Counts exchanges and watches how late the event loop runs. */
export function createLoad(maxInFlight: () => number): Load {
  const exchanges = createActiveExchanges()
  const { active } = exchanges
  const delay = watchLoop()
  let streams = 0
  return {
    ...exchanges,
    get inFlight() {
      return active.size - streams
    },
    streamStarted() {
      streams += 1
    },
    leave(exchange) {
      if (exchange.releaseSlot !== undefined) streams -= 1
      exchanges.leave(exchange)
    },
    isOverloaded() {
      if (active.size < Math.min(BUSY_COUNT, maxInFlight())) return false
      return active.size - streams > maxInFlight() || delay.isLate()
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
