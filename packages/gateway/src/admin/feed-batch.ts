import type { Exchange } from '../exchange.ts'
import { type FeedRequests, type FeedSources, ROWS_PER_SECOND, type TenantStreams } from './feed.ts'
import {
  type ExchangeTimes,
  exchangeTimes,
  isStreamed,
  type RequestRow,
  rowOf,
  shownOutcome,
} from './request-row.ts'
import { TokenBucket } from './token-bucket.ts'

/** What passed in one process in a moment, for the feed of another. */
export interface FeedBatch extends FeedRequests {
  readonly inFlight: number
  readonly streams: readonly TenantStreams[]
}

/** Collects what the feed of another process shows, while somebody looks. */
export interface FeedSender {
  watch(exchange: Exchange): void
  look(isLooking: boolean): void
  close(): void
}

const SEND_MS = 100

/** Makes it. */
export function createFeedSender(sources: FeedSources, send: (batch: FeedBatch) => void): FeedSender {
  const allowance = new TokenBucket(ROWS_PER_SECOND)
  let requests: (readonly [string, ExchangeTimes])[] = []
  let rows: RequestRow[] = []
  let timer: NodeJS.Timeout | undefined
  const stop = () => {
    clearInterval(timer)
    timer = undefined
    requests = []
    rows = []
  }
  const flush = () => {
    send({ requests, rows, inFlight: sources.inFlight(), streams: sources.streams() })
    requests = []
    rows = []
  }
  return {
    close: stop,
    look(isLooking) {
      stop()
      if (!isLooking) return
      allowance.fill()
      timer = setInterval(flush, SEND_MS)
      timer.unref()
    },
    watch(exchange) {
      if (timer === undefined) return
      const now = performance.now()
      const times = exchangeTimes(exchange, now)
      requests.push([shownOutcome(exchange.result?.label ?? '', isStreamed(exchange)), times])
      if (allowance.take(1, now)) rows.push(rowOf(exchange, times))
    },
  }
}

/** What other processes sent last of what is only true now. */
export interface OtherStates {
  keep(process: number, batch: FeedBatch | undefined): void
  inFlight(): number
  /** Those of the others put together with these. */
  streams(own: readonly TenantStreams[]): TenantStreams[]
}

/** Remembers what the others have open. */
export function createOtherStates(): OtherStates {
  const states = new Map<number, Pick<FeedBatch, 'inFlight' | 'streams'>>()
  return {
    keep(process, batch) {
      if (batch === undefined) states.delete(process)
      else states.set(process, { inFlight: batch.inFlight, streams: batch.streams })
    },
    inFlight: () => [...states.values()].reduce((sum, { inFlight }) => sum + inFlight, 0),
    streams(own) {
      const byTenant = new Map<string, TenantStreams>()
      for (const row of [...own, ...[...states.values()].flatMap(({ streams }) => streams)]) {
        const { open = 0 } = byTenant.get(row.tenant) ?? {}
        byTenant.set(row.tenant, { ...row, open: row.open + open })
      }
      return [...byTenant.values()].toSorted((first, second) => second.open - first.open)
    },
  }
}
