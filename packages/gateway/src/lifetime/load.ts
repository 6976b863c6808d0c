import { type ActiveExchanges, createActiveExchanges } from './active-exchanges.ts'

/** All requests of the gateway, and whether it can take more. */
export interface Load extends ActiveExchanges {
  /** Requests in flight, without open streams. */
  readonly inFlight: number
  /** The exchange holds a stream slot from now on. */
  streamStarted(): void
  /** Why a request that has entered is one too many, if it is. */
  overload(): 'max_in_flight' | 'late_loop' | undefined
  close(): void
}

const SAMPLE_INTERVAL_MS = 100
const MAX_LOOP_DELAY_MS = 250
/** Below this number of requests, a late event loop is no overload, even if they are all that the limit allows. */
const BUSY_COUNT = 64

/** Counts exchanges against the limit of requests in flight, and watches how late the event loop runs. */
export function createLoad(maxInFlight: () => number): Load {
  const exchanges = createActiveExchanges('positionInLoad')
  const { active } = exchanges
  const delay = watchLoop()
  let streams = 0
  return {
    ...exchanges,
    get inFlight() {
      return active.length - streams
    },
    streamStarted() {
      streams += 1
    },
    leave(exchange) {
      if (exchange.slot === 'taken') streams -= 1
      exchanges.leave(exchange)
    },
    overload() {
      if (active.length - streams > maxInFlight()) return 'max_in_flight'
      return active.length >= BUSY_COUNT && delay.isLate() ? 'late_loop' : undefined
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
