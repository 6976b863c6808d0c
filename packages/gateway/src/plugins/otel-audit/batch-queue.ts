import type { EmitLedger } from './emit-ledger.ts'

/** What one exporter may hold, waiting and on its way together (decision 24). */
export const QUEUE_LIMITS = { maxRecords: 8_192, maxBytes: 8 * 1024 * 1024 } as const

/** How a queue batches and where the batches go. */
export interface BatchQueueOptions<Item> {
  readonly maxRecords: number
  readonly maxBytes: number
  readonly batchRecords: number
  readonly batchBytes: number
  /** How many batches may be on their way at a time. */
  readonly maxInFlight: number
  /** How long a batch that is not full waits for more; 0 sends in the next turn of the event loop. */
  readonly delayMs: number
  /** Resolves when the whole batch arrived, rejects when it is lost. Nothing is sent twice. */
  readonly send: (batch: readonly Item[]) => Promise<void>
  readonly ledger: EmitLedger
}

/** A bounded queue in front of a slow or dead receiver. Every item that is added is booked exactly once. */
export interface BatchQueue<Item> {
  /** Takes the item, or drops it when the bounds are reached: the newest goes, because the oldest may be on their way. */
  add(item: Item, bytes: number): void
  held(): { readonly records: number; readonly bytes: number }
  /** Sends what is left and books the rest as lost after `withinMs`; true when nothing was left. */
  close(withinMs: number): Promise<boolean>
}

interface Entry<Item> {
  readonly item: Item
  readonly bytes: number
}

interface State<Item> {
  readonly options: BatchQueueOptions<Item>
  readonly waiting: Entry<Item>[]
  waitingBytes: number
  /** Waiting and on their way together, like `bytes`. */
  records: number
  bytes: number
  inFlight: number
  immediate: NodeJS.Immediate | undefined
  delay: NodeJS.Timeout | undefined
  /** From `close` on: nothing is taken any more and nothing waits for more. */
  closing: Promise<boolean> | undefined
  /** The time of `close` is over: what comes back now is booked already. */
  abandoned: boolean
  onEmpty: () => void
}

/** Makes a queue. */
export function createBatchQueue<Item>(options: BatchQueueOptions<Item>): BatchQueue<Item> {
  const state: State<Item> = {
    options,
    waiting: [],
    waitingBytes: 0,
    records: 0,
    bytes: 0,
    inFlight: 0,
    immediate: undefined,
    delay: undefined,
    closing: undefined,
    abandoned: false,
    onEmpty: () => undefined,
  }
  return {
    add: (item, bytes) => add(state, { item, bytes }),
    held: () => ({ records: state.records, bytes: state.bytes }),
    close: (withinMs) => {
      state.closing ??= close(state, withinMs)
      return state.closing
    },
  }
}

function add<Item>(state: State<Item>, entry: Entry<Item>): void {
  const obstacle = obstacleTo(state, entry)
  if (obstacle !== undefined) {
    state.options.ledger.dropped(1, obstacle)
    return
  }
  state.waiting.push(entry)
  state.waitingBytes += entry.bytes
  state.records += 1
  state.bytes += entry.bytes
  schedule(state)
}

function obstacleTo<Item>({ options, records, bytes, closing }: State<Item>, entry: Entry<Item>) {
  if (closing !== undefined) return 'the exporter is closed'
  const full = records >= options.maxRecords || bytes + entry.bytes > options.maxBytes
  return full ? 'the audit queue is full' : undefined
}

/** Sends later, never in the middle of a request; a full batch does not wait for its time. */
function schedule<Item>(state: State<Item>): void {
  const { delayMs } = state.options
  if (!hasPlace(state) || state.waiting.length === 0) return
  if (delayMs === 0) state.immediate ??= setImmediate(sendAll, state)
  else if (hasFullBatch(state)) state.immediate ??= setImmediate(sendFullBatches, state)
  else state.delay ??= setTimeout(sendAll, delayMs, state).unref()
}

function hasPlace<Item>({ options, inFlight }: State<Item>): boolean {
  return inFlight < options.maxInFlight
}

/** By bytes too: a few large records fill the queue long before there are enough of them for a batch. */
function hasFullBatch<Item>({ options, waiting, waitingBytes }: State<Item>): boolean {
  return waiting.length >= options.batchRecords || waitingBytes >= options.batchBytes
}

function sendAll<Item>(state: State<Item>): void {
  unschedule(state)
  while (hasPlace(state) && state.waiting.length > 0) void sendBatch(state)
}

/** The rest waits for more: alone it would take the place of a full batch while the receiver is busy. */
function sendFullBatches<Item>(state: State<Item>): void {
  unschedule(state)
  while (hasPlace(state) && hasFullBatch(state)) void sendBatch(state)
  schedule(state)
}

function unschedule<Item>(state: State<Item>): void {
  clearImmediate(state.immediate)
  clearTimeout(state.delay)
  state.immediate = undefined
  state.delay = undefined
}

async function sendBatch<Item>(state: State<Item>): Promise<void> {
  const { ledger } = state.options
  const batch = takeBatch(state)
  const startedAt = performance.now()
  state.inFlight += 1
  const failure = await attempt(state.options.send, batch.items)
  state.inFlight -= 1
  if (state.abandoned) return
  const seconds = (performance.now() - startedAt) / 1000
  release(state, batch)
  if (failure === undefined) ledger.written(batch.items.length, seconds)
  else ledger.dropped(batch.items.length, failure.error, seconds)
  goOn(state)
}

async function attempt<Item>(send: BatchQueueOptions<Item>['send'], items: readonly Item[]) {
  try {
    await send(items)
    return undefined
  } catch (error) {
    return { error }
  }
}

function takeBatch<Item>(state: State<Item>): { items: Item[]; bytes: number } {
  const { batchRecords, batchBytes } = state.options
  let count = 0
  let bytes = 0
  for (const entry of state.waiting) {
    // One record larger than a batch still goes, by itself.
    if (count === batchRecords || (count > 0 && bytes + entry.bytes > batchBytes)) break
    count += 1
    bytes += entry.bytes
  }
  state.waitingBytes -= bytes
  return { items: state.waiting.splice(0, count).map(({ item }) => item), bytes }
}

function release<Item>(state: State<Item>, batch: { items: Item[]; bytes: number }): void {
  state.records -= batch.items.length
  state.bytes -= batch.bytes
}

function goOn<Item>(state: State<Item>): void {
  if (state.records === 0) state.onEmpty()
  else if (state.closing !== undefined) sendAll(state)
  else schedule(state)
}

function close<Item>(state: State<Item>, withinMs: number): Promise<boolean> {
  sendAll(state)
  if (state.records === 0) return Promise.resolve(true)
  return new Promise((resolve) => {
    const deadline = setTimeout(() => {
      abandon(state)
      resolve(false)
    }, withinMs)
    state.onEmpty = () => {
      clearTimeout(deadline)
      resolve(true)
    }
  })
}

function abandon<Item>(state: State<Item>): void {
  state.abandoned = true
  state.options.ledger.dropped(state.records, 'the time to flush is over')
  state.waiting.length = 0
  state.waitingBytes = 0
  state.records = 0
  state.bytes = 0
}
