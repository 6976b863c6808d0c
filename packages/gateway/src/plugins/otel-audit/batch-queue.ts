import type { DeliveryReport } from './audit-exporter.ts'

/** The bounds of one exporter, waiting records and records in flight together (decision 24). */
export const QUEUE_LIMITS = { maxRecords: 8_192, maxBytes: 8 * 1024 * 1024 } as const

/** The bounds, the batching and the receiver of a queue. */
export interface BatchQueueOptions<Item> {
  readonly maxRecords: number
  readonly maxBytes: number
  readonly batchRecords: number
  readonly batchBytes: number
  /** The most batches in flight at a time. */
  readonly maxInFlight: number
  /** How long an incomplete batch waits for more; 0 sends it in the next turn of the event loop. */
  readonly delayMs: number
  /** Resolves when the whole batch arrived, rejects when it is lost. No batch is sent twice. */
  readonly send: (batch: readonly Item[]) => Promise<void>
  readonly report: DeliveryReport
}

interface Entry<Item> {
  readonly item: Item
  readonly bytes: number
}

interface Batch<Item> {
  readonly items: readonly Item[]
  readonly bytes: number
}

/** A bounded queue in front of a slow or dead receiver. Every added item is counted exactly once. */
export class BatchQueue<Item> {
  readonly #options: BatchQueueOptions<Item>
  readonly #waiting: Entry<Item>[] = []
  #waitingBytes = 0
  /** Waiting and in flight together, like `#bytes`. */
  #records = 0
  #bytes = 0
  #inFlight = 0
  #immediate: NodeJS.Immediate | undefined
  #delay: NodeJS.Timeout | undefined
  /** Set by `close`: the queue takes nothing more and sends without delay. */
  #closing: Promise<boolean> | undefined
  /** The time of `close` is over and the rest counted as dropped: late answers change nothing. */
  #abandoned = false
  /** Called when a batch arrived. */
  #onWritten: () => void = () => undefined
  #onEmpty: () => void = () => undefined

  constructor(options: BatchQueueOptions<Item>) {
    this.#options = options
  }

  /** Takes the item, or drops it when the queue is full. The newest is dropped, since the oldest may be in flight. */
  add(item: Item, bytes: number): void {
    const obstacle = this.#obstacleTo(bytes)
    if (obstacle !== undefined) {
      this.#options.report.dropped(1, obstacle)
      return
    }
    this.#waiting.push({ item, bytes })
    this.#waitingBytes += bytes
    this.#records += 1
    this.#bytes += bytes
    this.#schedule()
  }

  held(): { readonly records: number; readonly bytes: number } {
    return { records: this.#records, bytes: this.#bytes }
  }

  /**
   * Sends the remaining items; drops them when no batch arrives for `silenceMs`, and after `longestMs` in any case. True
   * when all were sent in time.
   */
  close(silenceMs: number, longestMs = silenceMs): Promise<boolean> {
    this.#closing ??= this.#flush(silenceMs, longestMs)
    return this.#closing
  }

  #obstacleTo(bytes: number): string | undefined {
    const { maxRecords, maxBytes } = this.#options
    if (this.#closing !== undefined) return 'the exporter is closed'
    const full = this.#records >= maxRecords || this.#bytes + bytes > maxBytes
    return full ? 'the audit queue is full' : undefined
  }

  /** Sends later, never within a request. A full batch does not wait for the delay. */
  #schedule(): void {
    const { delayMs } = this.#options
    if (!this.#maySend() || this.#waiting.length === 0) return
    if (delayMs === 0) this.#immediate ??= setImmediate(() => this.#sendAll())
    else if (this.#hasFullBatch()) this.#immediate ??= setImmediate(() => this.#sendFullBatches())
    else this.#delay ??= setTimeout(() => this.#sendAll(), delayMs).unref()
  }

  #unschedule(): void {
    clearImmediate(this.#immediate)
    clearTimeout(this.#delay)
    this.#immediate = undefined
    this.#delay = undefined
  }

  #maySend(): boolean {
    return this.#inFlight < this.#options.maxInFlight
  }

  /** By bytes too: a few large records fill the queue before they fill a batch by number. */
  #hasFullBatch(): boolean {
    const { batchRecords, batchBytes } = this.#options
    return this.#waiting.length >= batchRecords || this.#waitingBytes >= batchBytes
  }

  #sendAll(): void {
    this.#unschedule()
    while (this.#maySend() && this.#waiting.length > 0) void this.#sendBatch()
  }

  /** The incomplete rest keeps waiting: in flight it would delay a full batch while the receiver is busy. */
  #sendFullBatches(): void {
    this.#unschedule()
    while (this.#maySend() && this.#hasFullBatch()) void this.#sendBatch()
    this.#schedule()
  }

  async #sendBatch(): Promise<void> {
    const { send, report } = this.#options
    const batch = this.#takeBatch()
    const startedAt = performance.now()
    this.#inFlight += 1
    const failure = await attempt(send, batch.items)
    this.#inFlight -= 1
    if (this.#abandoned) return
    const seconds = (performance.now() - startedAt) / 1000
    this.#records -= batch.items.length
    this.#bytes -= batch.bytes
    if (failure === undefined) {
      report.written(batch.items.length, seconds)
      this.#onWritten()
    } else report.dropped(batch.items.length, failure.error, seconds)
    this.#continue()
  }

  #takeBatch(): Batch<Item> {
    const { batchRecords, batchBytes } = this.#options
    let count = 0
    let bytes = 0
    for (const entry of this.#waiting) {
      // A record larger than a batch is sent alone.
      if (count === batchRecords || (count > 0 && bytes + entry.bytes > batchBytes)) break
      count += 1
      bytes += entry.bytes
    }
    this.#waitingBytes -= bytes
    return { items: this.#waiting.splice(0, count).map(({ item }) => item), bytes }
  }

  #continue(): void {
    if (this.#records === 0) this.#onEmpty()
    else if (this.#closing !== undefined) this.#sendAll()
    else this.#schedule()
  }

  async #flush(silenceMs: number, longestMs: number): Promise<boolean> {
    this.#sendAll()
    if (this.#records === 0) return true
    const { promise, resolve } = Promise.withResolvers<void>()
    let isSilent = false
    const silence = setTimeout(() => {
      isSilent = true
      // Read first: an answer may have arrived while the process had no core.
      setImmediate(() => isSilent && resolve())
    }, silenceMs)
    const longest = setTimeout(() => setImmediate(resolve), longestMs)
    this.#onWritten = () => {
      isSilent = false
      silence.refresh()
    }
    this.#onEmpty = resolve
    await promise
    clearTimeout(silence)
    clearTimeout(longest)
    if (this.#records === 0) return true
    this.#abandon()
    return false
  }

  #abandon(): void {
    this.#abandoned = true
    this.#options.report.dropped(this.#records, 'the time to flush is over')
    this.#waiting.length = 0
    this.#waitingBytes = 0
    this.#records = 0
    this.#bytes = 0
  }
}

async function attempt<Item>(send: BatchQueueOptions<Item>['send'], items: readonly Item[]) {
  try {
    await send(items)
    return undefined
  } catch (error) {
    return { error }
  }
}
