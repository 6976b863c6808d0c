import { outcomes, writeEvent } from '@agentic-rest/profile'
import type { AdminBody } from '@agentic-rest/profile/admin'
import type { GatewayConfig } from '../config/config-schema.ts'
import type { Exchange, Reply } from '../exchange.ts'
import type { Load } from '../limits/in-flight/load.ts'
import { type ExchangeTimes, exchangeTimes, isStreamed, shownOutcome } from './exchange-times.ts'
import { type RequestRow, rowNow } from './request-row.ts'
import { TokenBucket } from './token-bucket.ts'
import { type Traffic, TrafficWindow } from './traffic-window.ts'

/** The open requests and streams of a gateway or of one of its workers. */
export type OpenWork = Pick<AdminBody<'Summary'>, 'inFlight' | 'streams'>

/** The state of the gateway that the feed reads once a second, while it has readers. */
export interface FeedSources {
  readonly openWork: () => OpenWork
  /** Called with true for the first reader, and with false after the last. */
  readonly onReading?: ((isRead: boolean) => void) | undefined
}

/** Finished requests of another process. */
export interface FeedRequests {
  /** Outcome and times of every request. */
  readonly requests: readonly (readonly [outcome: string, times: ExchangeTimes])[]
  /** The rows of those requests that may be shown. */
  readonly rows: readonly RequestRow[]
}

/** The rows that are sent in a second at most; further requests are only counted. */
export const ROWS_PER_SECOND = 50

const FLUSH_MS = 100
const FLUSHES_PER_SUMMARY = 10

/** Sends finished requests to readers as server-sent events. It collects nothing without readers. */
export class Feed {
  readonly #sources: FeedSources
  readonly #readers = new FeedReaders()
  readonly #traffic = new TrafficWindow()
  readonly #allowance = new TokenBucket(ROWS_PER_SECOND)
  #rows: RequestRow[] = []
  #shown = 0
  #flushes = 0
  #timer: NodeJS.Timeout | undefined

  constructor(sources: FeedSources) {
    this.#sources = sources
  }

  /** Takes a finished request of this process. */
  watch(exchange: Exchange): void {
    if (this.#readers.count === 0) return
    const now = performance.now()
    const times = exchangeTimes(exchange, now)
    this.#traffic.add(shownOutcome(exchange.result?.label ?? '', isStreamed(exchange)), times)
    if (this.#allowance.take(1, now)) this.#show(rowNow(exchange))
  }

  /** Takes finished requests of another process. */
  add({ requests, rows }: FeedRequests): void {
    if (this.#readers.count === 0) return
    for (const [outcome, times] of requests) this.#traffic.add(outcome, times)
    for (const row of rows) if (this.#allowance.take(1)) this.#show(row)
  }

  /** Answers a request with the feed; false when there are too many readers. */
  open(exchange: Exchange, headers: readonly string[]): boolean {
    if (this.#readers.isFull) return false
    if (this.#readers.count === 0) this.#start()
    this.#readers.add(exchange, headers)
    return true
  }

  /** Ends every reader's answer. */
  close(): void {
    this.#readers.close()
    this.#stop()
  }

  #start(): void {
    this.#clear()
    this.#allowance.fill()
    this.#timer = setInterval(() => this.#flush(), FLUSH_MS)
    this.#timer.unref()
    this.#sources.onReading?.(true)
  }

  #stop(): void {
    this.#clear()
    this.#sources.onReading?.(false)
  }

  #clear(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#traffic.take()
    this.#rows = []
    this.#shown = 0
    this.#flushes = 0
  }

  #show(row: RequestRow): void {
    this.#shown += 1
    this.#rows.push(row)
  }

  #flush(): void {
    this.#flushes += 1
    const events = this.#rows.map((row) => eventText('request', row))
    this.#rows = []
    if (this.#flushes % FLUSHES_PER_SUMMARY === 0)
      events.push(eventText('summary', this.#summary(this.#traffic.take())))
    if (events.length > 0) this.#readers.send(Buffer.from(events.join('')))
    if (this.#readers.count === 0) this.#stop()
  }

  #summary({ requests, ...traffic }: Traffic): AdminBody<'Summary'> {
    const shown = this.#shown
    this.#shown = 0
    const at = new Date().toISOString()
    return { at, requests, shown, ...traffic, ...this.#sources.openWork() }
  }
}

function eventText(event: string, data: unknown): string {
  return writeEvent({ event, data: JSON.stringify(data) })
}

interface Reader {
  readonly reply: Reply
  readonly since: number
  /** Set while the reader has not read all that was sent. */
  stalledAt: number | undefined
}

const MAX_FEED_READERS = 16
const MAX_STALL_MS = 10_000
// A feed would outlive the token that opened it; the reader has to show a token again.
const MAX_FEED_MS = 15 * 60_000
const OPENING = Buffer.from('retry: 1000\n\n')

/** The open answers of the feed. */
export class FeedReaders {
  readonly #readers = new Set<Reader>()

  get count(): number {
    return this.#readers.size
  }

  get isFull(): boolean {
    return this.#readers.size >= MAX_FEED_READERS
  }

  /** Begins the answer of a reader. */
  add({ reply }: Exchange, headers: readonly string[]): void {
    const reader: Reader = { reply, since: performance.now(), stalledAt: undefined }
    this.#readers.add(reader)
    void reply.whenEnded().then(() => this.#readers.delete(reader))
    reply.head(outcomes.success.status, headers)
    write(reader, OPENING)
  }

  /** Sends the same bytes to every reader; a stalled reader misses them. */
  send(bytes: Uint8Array): void {
    const now = performance.now()
    for (const reader of this.#readers) sendTo(reader, bytes, now)
  }

  close(): void {
    for (const { reply } of this.#readers) reply.end()
    this.#readers.clear()
  }
}

function sendTo(reader: Reader, bytes: Uint8Array, now: number): void {
  const { reply, since, stalledAt } = reader
  if (reply.isClosed) return
  if (now - since > MAX_FEED_MS) reply.end()
  else if (stalledAt === undefined) write(reader, bytes)
  // Nothing is kept for a stalled reader (F13); after a while it is disconnected.
  else if (now - stalledAt > MAX_STALL_MS) reply.destroy()
}

function write(reader: Reader, bytes: Uint8Array): void {
  if (reader.reply.write(bytes)) return
  reader.stalledAt = performance.now()
  reader.reply.onDrain(() => {
    reader.stalledAt = undefined
  })
}

const MAX_TENANTS = 100

/** The open requests, and the streams of each tenant, most streams first. Counted on demand: requests pay nothing. */
export function openWork({ active, inFlight }: Load, { gateway }: GatewayConfig): OpenWork {
  const counts = new Map<string, number>()
  for (const exchange of active) {
    const { tenantId = '' } = exchange
    if (isStreamed(exchange)) counts.set(tenantId, (counts.get(tenantId) ?? 0) + 1)
  }
  const limit = gateway.llm.max_sse_connections_per_tenant
  const streams = [...counts]
    .map(([tenant, open]) => ({ tenant, open, limit }))
    .toSorted((first, second) => second.open - first.open)
    .slice(0, MAX_TENANTS)
  return { inFlight, streams }
}
