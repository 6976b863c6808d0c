import type { LimitOptions } from '../../config/config-schema.ts'
import { type Exchange, NOT_ACTIVE } from '../../exchange.ts'
import { HeldBytes, TenantByteAccount } from '../shares/held-bytes.ts'
import { TenantCounts } from '../shares/tenant-counts.ts'
import { tenantShares } from '../shares/tenant-shares.ts'
import { type ActiveExchanges, createActiveExchanges } from './active-exchanges.ts'
import { LOOK_INTERVAL_MS, startTimers } from './deadlines.ts'

/** Takes requests out of `max_in_flight` while they wait. The plugin bounds their number. */
export interface Waits {
  waitStarted(exchange: Exchange): void
  /** Safe to call again, and after the request has ended. */
  waitEnded(exchange: Exchange): void
}

/** All requests of the gateway, and whether it can take more. */
export interface Load extends ActiveExchanges, Waits {
  /** Requests in flight, without open streams and without requests that wait for a key. */
  readonly inFlight: number
  /** Bytes of bodies in memory. */
  readonly bufferedBytes: number
  /** Counts a request and its bodies against the shares of its tenant; false when the tenant has all of it in flight. */
  takeShare(exchange: Exchange): boolean
  /** The exchange holds a stream slot from now on. */
  streamStarted(exchange: Exchange): void
  /** Why a request that has entered is one too many, if it is. */
  overload(): 'max_in_flight' | 'late_loop' | undefined
  close(): void
}

const MAX_LOOP_DELAY_MS = 250
/** Below this number of requests, a late event loop is no overload, even if they are all that the limit allows. */
const BUSY_COUNT = 64

/** Counts exchanges against the limits of requests in flight, and watches how late the event loop runs. */
export function createLoad(limits: () => LimitOptions): Load {
  const exchanges = createActiveExchanges('positionInLoad')
  const { active } = exchanges
  const delay = watchLoop(() => startTimers(active))
  const shares = new TenantCounts()
  const held = new HeldBytes(() => ({
    total: limits().max_buffered_bytes,
    perTenant: tenantShares(limits()).bufferedBytes,
  }))
  let streams = 0
  let waiting = 0
  const countInFlight = () => active.length - streams - waiting
  const waitEnded = (exchange: Exchange) => {
    if (exchange.waitsForKey) waiting -= 1
    exchange.waitsForKey = false
  }
  const leaveShare = (exchange: Exchange) => {
    if (!exchange.inShare) return
    exchange.inShare = false
    shares.add(exchange.tenantId ?? '', -1)
  }
  return {
    ...exchanges,
    get inFlight() {
      return countInFlight()
    },
    get bufferedBytes() {
      return held.total
    },
    takeShare(exchange) {
      const { tenantId = '' } = exchange
      if (shares.of(tenantId) >= tenantShares(limits()).inFlight) return false
      shares.add(tenantId, 1)
      exchange.inShare = true
      exchange.heldBytes = new TenantByteAccount(held, tenantId)
      exchange.body.holdIn(exchange.heldBytes)
      return true
    },
    streamStarted(exchange) {
      streams += 1
      leaveShare(exchange)
    },
    waitStarted(exchange) {
      // The admin listener validates tokens of exchanges that are not counted.
      if (exchange.positionInLoad === NOT_ACTIVE || exchange.waitsForKey) return
      exchange.waitsForKey = true
      waiting += 1
    },
    waitEnded,
    leave(exchange) {
      // Its client may leave before the key comes.
      waitEnded(exchange)
      if (exchange.slot === 'taken') streams -= 1
      leaveShare(exchange)
      exchange.heldBytes?.close()
      exchanges.leave(exchange)
    },
    overload() {
      if (countInFlight() > limits().max_in_flight) return 'max_in_flight'
      return active.length >= BUSY_COUNT && delay.isLate() ? 'late_loop' : undefined
    },
    close: delay.close,
  }
}

function watchLoop(onSample: () => void): { isLate(): boolean; close(): void } {
  let expectedAt = performance.now() + LOOK_INTERVAL_MS
  let late = false
  const timer = setInterval(() => {
    const now = performance.now()
    late = now - expectedAt > MAX_LOOP_DELAY_MS
    expectedAt = now + LOOK_INTERVAL_MS
    onSample()
  }, LOOK_INTERVAL_MS)
  timer.unref()
  return { isLate: () => late, close: () => clearInterval(timer) }
}
