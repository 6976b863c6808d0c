import type { Exchange } from '../exchange.ts'
import { exchangeTimes } from './exchange-times.ts'
import { createFeedReaders, type FeedReaders } from './feed-readers.ts'
import { type RequestRow, rowOf } from './request-row.ts'
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
}

/** Requests as they pass. Nothing is collected while nobody reads. */
export interface Feed {
  /** Takes a request that is over. */
  watch(exchange: Exchange): void
  /** Answers a request with the feed; false when too many read already. */
  open(exchange: Exchange, headers: readonly string[]): boolean
  /** Ends every reader's answer. */
  close(): void
}

/** How many rows are sent in a second, whatever passes; the rest is counted. */
export const ROWS_PER_SECOND = 50
const FLUSH_MS = 100
const FLUSHES_PER_SUMMARY = 10

interface State {
  readonly rows: RequestRow[]
  /** Rows that may still be sent: a burst is shown, a flood is sampled. */
  allowance: number
  allowanceAt: number
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
    allowance: 0,
    allowanceAt: 0,
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
    if (readers.count === 0) stop(state)
  }
  return {
    watch(exchange) {
      if (readers.count === 0) return
      const now = performance.now()
      const times = exchangeTimes(exchange, now)
      traffic.add(shownOutcome(exchange.result?.label ?? '', isStreamed(exchange)), times)
      if (mayShow(state, now)) state.rows.push(rowOf(exchange, times))
    },
    open: (exchange, headers) => open({ exchange, headers }, readers, () => start(state, flush, traffic)),
    close() {
      readers.close()
      stop(state)
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
  state.allowance = ROWS_PER_SECOND
  state.allowanceAt = performance.now()
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

function mayShow(state: State, now: number): boolean {
  const earned = ((now - state.allowanceAt) * ROWS_PER_SECOND) / 1000
  state.allowance = Math.min(ROWS_PER_SECOND, state.allowance + earned)
  state.allowanceAt = now
  if (state.allowance < 1) return false
  state.allowance -= 1
  state.shown += 1
  return true
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
