import type { Exchange } from '../exchange.ts'
import { exchangeTimes } from './exchange-times.ts'
import type { FeedBatch } from './feed-batch.ts'
import { createFeedReaders, type FeedReaders } from './feed-readers.ts'
import { type RequestRow, rowOf } from './request-row.ts'
import { createRowAllowance, type RowAllowance } from './row-allowance.ts'
import { isStreamed, shownOutcome } from './shown-outcome.ts'
import { createTrafficWindow, type Traffic } from './traffic-window.ts'

/** The open streams of one tenant. */
export interface TenantStreams {
  readonly tenant: string
  readonly open: number
  readonly limit: number
}

/** What is read of the gateway once a second, while somebody looks. */
export interface FeedSources {
  readonly inFlight: () => number
  readonly streams: () => readonly TenantStreams[]
  /** Told when the first begins to read, and when the last has gone. */
  readonly onLook?: ((isLooking: boolean) => void) | undefined
}

/** Requests as they pass. Nothing is collected while nobody reads. */
export interface Feed {
  /** Takes a request that is over. */
  watch(exchange: Exchange): void
  /** Takes what passed in another process. */
  add(batch: Pick<FeedBatch, 'requests' | 'rows'>): void
  /** Answers a request with the feed; false when too many read already. */
  open(exchange: Exchange, headers: readonly string[]): boolean
  /** Ends every reader's answer. */
  close(): void
}

const FLUSH_MS = 100
const FLUSHES_PER_SUMMARY = 10

interface State {
  readonly rows: RequestRow[]
  readonly allowance: RowAllowance
  shown: number
  flushes: number
  timer: NodeJS.Timeout | undefined
}

/** Makes the feed of a gateway. */
export function createFeed(sources: FeedSources): Feed {
  const traffic = createTrafficWindow()
  const readers = createFeedReaders()
  const state: State = {
    rows: [],
    allowance: createRowAllowance(),
    shown: 0,
    flushes: 0,
    timer: undefined,
  }
  const flush = () => {
    state.flushes += 1
    const events = state.rows.map((row) => frame('request', row))
    state.rows.length = 0
    if (state.flushes % FLUSHES_PER_SUMMARY === 0)
      events.push(frame('summary', summary(traffic.take(), state, sources)))
    if (events.length > 0) readers.send(Buffer.from(events.join('')))
    if (readers.count === 0) end()
  }
  const begin = () => {
    start(state, flush, traffic)
    sources.onLook?.(true)
  }
  const end = () => {
    stop(state)
    sources.onLook?.(false)
  }
  const show = (row: () => RequestRow, now: number) => {
    if (!state.allowance.take(now)) return
    state.shown += 1
    state.rows.push(row())
  }
  return {
    watch(exchange) {
      if (readers.count === 0) return
      const now = performance.now()
      const times = exchangeTimes(exchange, now)
      traffic.add(shownOutcome(exchange.result?.label ?? '', isStreamed(exchange)), times)
      show(() => rowOf(exchange, times), now)
    },
    add({ requests, rows }) {
      if (readers.count === 0) return
      for (const [outcome, times] of requests) traffic.add(outcome, times)
      for (const row of rows) show(() => row, performance.now())
    },
    open: (exchange, headers) => open({ exchange, headers }, readers, begin),
    close() {
      readers.close()
      end()
    },
  }
}

function open(
  { exchange, headers }: { readonly exchange: Exchange; readonly headers: readonly string[] },
  readers: FeedReaders,
  onFirst: () => void,
): boolean {
  if (readers.isFull) return false
  if (readers.count === 0) onFirst()
  readers.add(exchange, headers)
  return true
}

function start(state: State, flush: () => void, traffic: { take(): Traffic }): void {
  // What was left from the last reader is not of this second.
  traffic.take()
  stop(state)
  state.allowance.fill()
  state.timer = setInterval(flush, FLUSH_MS)
  state.timer.unref()
}

function stop(state: State): void {
  clearInterval(state.timer)
  state.timer = undefined
  state.rows.length = 0
  state.shown = 0
  state.flushes = 0
}

function summary(traffic: Traffic, state: State, { inFlight, streams }: FeedSources) {
  const { requests, ...rest } = traffic
  const { shown } = state
  state.shown = 0
  return {
    at: new Date().toISOString(),
    requests,
    shown,
    ...rest,
    inFlight: inFlight(),
    streams: streams(),
  }
}

function frame(event: string, data: unknown): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}
