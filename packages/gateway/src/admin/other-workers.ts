import type { AuditEvent } from '@agentic-rest/profile'
import type { Exchange } from '../exchange.ts'
import type { ReloadResult } from '../lifetime/reload.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { Load } from '../limits/in-flight/load.ts'
import type { TenantUsage, UsageLedger } from '../limits/usage/usage-ledger.ts'
import { type ExchangeDetail, exchangeDetails, type WantedExchange } from './exchange-detail.ts'
import { type ExchangeTimes, exchangeTimes, isStreamed, shownOutcome } from './exchange-times.ts'
import { type FeedRequests, type OpenWork, openWork, ROWS_PER_SECOND } from './feed.ts'
import { createRecentExchanges, ownRecords } from './recent-exchanges.ts'
import { type ExchangeRow, type RowPage, recentRows } from './recent-rows.ts'
import { type RememberedRow, type RequestRow, rowNow, rowsBefore } from './request-row.ts'
import { TokenBucket } from './token-bucket.ts'
import { usageIn } from './usage.ts'

/** The other workers of a gateway, for the worker with the admin listener. */
export type OtherWorkers = {
  /** Reloads all workers, this one included. */
  reload(): Promise<ReloadResult>
  records(correlationId: string): Promise<readonly AuditEvent[]>
  /** The newest requests that ended before a time. */
  requests(before: number): Promise<readonly RememberedRow[]>
  recent(page: RowPage): Promise<readonly ExchangeRow[]>
  /** The requests with an id. */
  exchanges(wanted: WantedExchange): Promise<readonly ExchangeDetail[]>
  /** The usage of one tenant, or of the most active ones for an empty name. */
  usage(tenant: string): Promise<readonly TenantUsage[]>
  /** One batch of each worker: its requests since the last call. */
  feed(): Promise<readonly FeedBatch[]>
}

/** The feed of one worker since it was last asked. */
export interface FeedBatch extends FeedRequests, OpenWork {}

const POLL_MS = 100
/** A worker stops collecting when nobody has asked for its feed for this long. */
const UNREAD_MS = 2000

/** Collects finished requests for the feed of another worker, while that worker asks for them. */
export class FeedCollector {
  readonly #allowance = new TokenBucket(ROWS_PER_SECOND)
  #requests: (readonly [string, ExchangeTimes])[] = []
  #rows: RequestRow[] = []
  #timer: NodeJS.Timeout | undefined

  /** Takes a finished request. */
  watch(exchange: Exchange): void {
    if (this.#timer === undefined) return
    const now = performance.now()
    const times = exchangeTimes(exchange, now)
    this.#requests.push([shownOutcome(exchange.result?.label ?? '', isStreamed(exchange)), times])
    if (this.#allowance.take(1, now)) this.#rows.push(rowNow(exchange))
  }

  /** The requests since the last call. The first call starts the collection. */
  take(): FeedRequests {
    if (this.#timer === undefined) this.#allowance.fill()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#stop(), UNREAD_MS).unref()
    return this.#empty()
  }

  #stop(): void {
    this.#timer = undefined
    this.#empty()
  }

  #empty(): FeedRequests {
    const taken = { requests: this.#requests, rows: this.#rows }
    this.#requests = []
    this.#rows = []
    return taken
  }
}

/** The finished requests of one worker, for the admin listener of another. */
export type WorkerRecords = {
  feed(): FeedBatch
  records(correlationId: string): readonly AuditEvent[]
  requests(before: number): readonly RememberedRow[]
  recent(page: RowPage): readonly ExchangeRow[]
  exchanges(wanted: WantedExchange): readonly ExchangeDetail[]
  usage(tenant: string): readonly TenantUsage[]
  /** Takes a finished request. */
  watch(exchange: Exchange): void
}

/** Remembers the finished requests of a worker without the admin listener. */
export function createWorkerRecords({
  load,
  current,
  ledger,
}: {
  load: Load
  current: () => Snapshot
  ledger: UsageLedger
}): WorkerRecords {
  const recent = createRecentExchanges()
  const collector = new FeedCollector()
  return {
    feed: () => ({ ...collector.take(), ...openWork(load, current().config) }),
    records: (correlationId) => ownRecords(correlationId, recent),
    requests: (before) => rowsBefore(recent, before),
    recent: (page) => recentRows(recent, page),
    exchanges: (wanted) => exchangeDetails(wanted, recent, current()),
    usage: (tenant) => usageIn(ledger, tenant),
    watch(exchange) {
      recent.add(exchange)
      collector.watch(exchange)
    },
  }
}

/** Polls the feed of the other workers while the feed of this one has readers. */
export class FeedPoll {
  readonly #otherWorkers: OtherWorkers
  readonly #add: (batch: FeedBatch) => void
  #last: readonly FeedBatch[] = []
  #timer: NodeJS.Timeout | undefined
  #isAsking = false

  constructor(otherWorkers: OtherWorkers, add: (batch: FeedBatch) => void) {
    this.#otherWorkers = otherWorkers
    this.#add = add
  }

  /** Starts or stops. */
  run(isRead: boolean): void {
    clearInterval(this.#timer)
    this.#last = []
    if (!isRead) return
    this.#timer = setInterval(() => void this.#poll(this.#add), POLL_MS).unref()
    // At once, so that the other workers begin to collect. Requests of the last reader's time are dropped.
    void this.#poll(() => undefined)
  }

  async #poll(add: (batch: FeedBatch) => void): Promise<void> {
    // A stuck worker delays the answer; questions must not pile up.
    if (this.#isAsking) return
    this.#isAsking = true
    this.#last = await this.#otherWorkers.feed().catch(() => [])
    this.#isAsking = false
    for (const batch of this.#last) add(batch)
  }

  /** Adds the open work of the other workers. */
  withOthers(own: OpenWork): OpenWork {
    const all = [own, ...this.#last]
    const byTenant = new Map<string, OpenWork['streams'][number]>()
    for (const row of all.flatMap(({ streams }) => streams)) {
      const { open = 0 } = byTenant.get(row.tenant) ?? {}
      byTenant.set(row.tenant, { ...row, open: row.open + open })
    }
    return {
      inFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
      streams: [...byTenant.values()].toSorted((first, second) => second.open - first.open),
    }
  }
}
