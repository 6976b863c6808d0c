import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BatchQueue, type BatchQueueOptions } from './batch-queue.ts'

interface Send {
  readonly items: readonly number[]
  arrive(): void
  fail(): void
}

/** A queue with a receiver that the test controls. */
function queueWith(overrides: Partial<BatchQueueOptions<number>> = {}) {
  const sends: Send[] = []
  const counted = { written: 0, dropped: 0, causes: [] as unknown[] }
  const queue = new BatchQueue<number>({
    maxRecords: 100,
    maxBytes: 1000,
    batchRecords: 10,
    batchBytes: 100,
    maxInFlight: 1,
    delayMs: 0,
    send: (items) =>
      new Promise((resolve, reject) => {
        sends.push({ items, arrive: resolve, fail: () => reject(new Error('lost')) })
      }),
    report: {
      written: (records) => {
        counted.written += records
      },
      dropped: (records, cause) => {
        counted.dropped += records
        counted.causes.push(cause)
      },
      failing: () => false,
      close: () => undefined,
    },
    ...overrides,
  })
  const fill = (count: number, bytes = 1) => {
    for (let n = 0; n < count; n += 1) queue.add(n, bytes)
  }
  return { queue, sends, counted, fill }
}

it('sends in the next turn what one turn has brought, in order', async () => {
  const { sends, fill } = queueWith()
  fill(3)
  expect(sends).toEqual([])
  await nextTurn()
  expect(sends.map(({ items }) => items)).toEqual([[0, 1, 2]])
})

it('has no more batches in flight than it may', async () => {
  const { sends, fill, counted } = queueWith({ maxInFlight: 2 })
  fill(35)
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([10, 10])
  sends[1]?.arrive()
  await nextTurn()
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([10, 10, 10])
  expect(counted.written).toBe(10)
})

it('cuts a batch by bytes, and sends a larger record by itself', async () => {
  const { sends, queue } = queueWith({ maxInFlight: 9 })
  for (const bytes of [60, 40, 1, 300, 5]) queue.add(bytes, bytes)
  await nextTurn()
  expect(sends.map(({ items }) => items)).toEqual([[60, 40], [1], [300], [5]])
})

it('drops the newest beyond its records, counting those in flight', async () => {
  const { queue, counted, fill } = queueWith()
  fill(100)
  await nextTurn()
  fill(7)
  expect(queue.held()).toEqual({ records: 100, bytes: 100 })
  expect(counted).toEqual({ written: 0, dropped: 7, causes: Array(7).fill('the audit queue is full') })
})

it('drops the newest beyond its bytes', () => {
  const { queue, counted, fill } = queueWith()
  fill(3, 333)
  expect(queue.held()).toEqual({ records: 3, bytes: 999 })
  fill(1, 2)
  fill(1, 1)
  expect(queue.held()).toEqual({ records: 4, bytes: 1000 })
  expect(counted.dropped).toBe(1)
})

it('goes on with the next batch after one was lost', async () => {
  const { queue, sends, counted, fill } = queueWith()
  fill(20)
  await nextTurn()
  sends[0]?.fail()
  await nextTurn()
  await nextTurn()
  sends[1]?.arrive()
  await nextTurn()
  expect(counted).toEqual({ written: 10, dropped: 10, causes: [new Error('lost')] })
  expect(queue.held()).toEqual({ records: 0, bytes: 0 })
})

it('counts a receiver that throws at once like one that rejects', async () => {
  const { counted, fill } = queueWith({
    send: () => {
      throw new Error('at once')
    },
  })
  fill(1)
  await nextTurn()
  await nextTurn()
  expect(counted).toEqual({ written: 0, dropped: 1, causes: [new Error('at once')] })
})

/** Stops the clock of the delay: on a busy machine it would pass too early. */
function stopTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
}

it('waits for more before it sends a batch that is not full, and not longer than its delay', async () => {
  stopTime()
  const { sends, fill } = queueWith({ delayMs: 20 })
  fill(9)
  await nextTurn()
  vi.advanceTimersByTime(19)
  expect(sends).toEqual([])
  vi.advanceTimersByTime(1)
  expect(sends.map(({ items }) => items.length)).toEqual([9])
})

it('does not wait with a full batch', async () => {
  const { sends, fill } = queueWith({ delayMs: 60_000 })
  fill(10)
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([10])
})

it('does not wait with a batch that is full by its bytes', async () => {
  const { sends, fill } = queueWith({ delayMs: 60_000 })
  fill(1, 99)
  await nextTurn()
  expect(sends).toEqual([])
  fill(1, 1)
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([2])
})

it('keeps the rest of a full batch waiting for more', async () => {
  stopTime()
  const { sends, fill } = queueWith({ delayMs: 20, maxInFlight: 9 })
  fill(23)
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([10, 10])
  vi.advanceTimersByTime(20)
  expect(sends.map(({ items }) => items.length)).toEqual([10, 10, 3])
})

it('counts only the bytes that wait, not those in flight', async () => {
  const { sends, fill } = queueWith({ delayMs: 60_000, maxInFlight: 2 })
  fill(1, 100)
  await nextTurn()
  fill(1, 99)
  await nextTurn()
  await nextTurn()
  expect(sends.map(({ items }) => items.length)).toEqual([1])
})

it('sends the rest on closing without a delay and takes nothing more', async () => {
  const { queue, sends, counted, fill } = queueWith({ delayMs: 60_000, maxInFlight: 3 })
  fill(5)
  const closed = queue.close(60_000)
  fill(2)
  sends[0]?.arrive()
  await expect(closed).resolves.toBe(true)
  expect(counted).toEqual({ written: 5, dropped: 2, causes: Array(2).fill('the exporter is closed') })
})

it('closes at once when it holds nothing', async () => {
  await expect(queueWith().queue.close(60_000)).resolves.toBe(true)
})

it('gives up at the deadline, counts the rest once, and ignores what arrives later', async () => {
  const { queue, sends, counted, fill } = queueWith()
  fill(25)
  await expect(queue.close(30)).resolves.toBe(false)
  expect(counted).toEqual({ written: 0, dropped: 25, causes: ['the time to flush is over'] })
  sends[0]?.arrive()
  await nextTurn()
  expect(counted.written).toBe(0)
  expect(queue.held()).toEqual({ records: 0, bytes: 0 })
  expect(queue.close(30)).toBe(queue.close(30))
})

it('waits on closing for a slow receiver, as long as batches arrive in time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { queue, sends, counted, fill } = queueWith()
  fill(35)
  const closed = queue.close(100, 350)
  for (const index of [0, 1, 2, 3]) {
    vi.advanceTimersByTime(80)
    sends[index]?.arrive()
    await nextTurn()
  }
  await expect(closed).resolves.toBe(true)
  expect(counted).toEqual({ written: 35, dropped: 0, causes: [] })
})

it('waits on closing for a slow receiver no longer than the longest time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { queue, sends, counted, fill } = queueWith()
  fill(35)
  const closed = queue.close(100, 150)
  vi.advanceTimersByTime(80)
  sends[0]?.arrive()
  await nextTurn()
  vi.advanceTimersByTime(80)
  await expect(closed).resolves.toBe(false)
  expect(counted).toEqual({ written: 10, dropped: 25, causes: ['the time to flush is over'] })
})

it('counts an answer that is read right after the time to flush has ended', async () => {
  const { queue, sends, counted, fill } = queueWith()
  fill(5)
  const closed = queue.close(20)
  // Wait: both timers are due after this loop and the second stands for the answer: it was in the socket all the time.
  setTimeout(() => sends[0]?.arrive(), 20)
  for (const end = performance.now() + 40; performance.now() < end; );
  await expect(closed).resolves.toBe(true)
  expect(counted).toEqual({ written: 5, dropped: 0, causes: [] })
})

const step = fc.oneof(
  fc.record({
    type: fc.constant('add' as const),
    count: fc.integer({ min: 1, max: 40 }),
    bytes: fc.nat(120),
  }),
  fc.record({ type: fc.constantFrom('arrive' as const, 'fail' as const, 'turn' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

it.each([
  ['in time', 60_000],
  ['too late', 0],
])('counts every record once, in any order of steps, closed %s', async (_, closeMs) => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const { queue, sends, counted, fill } = queueWith({ maxInFlight: 3 })
    let answered = 0
    const take = async (next: Step) => {
      if (next.type === 'add') fill(next.count, next.bytes)
      else if (next.type === 'turn') await nextTurn()
      else sends[answered++]?.[next.type]()
      return next.type === 'add' ? next.count : 0
    }
    let added = 0
    for (const next of steps) {
      added += await take(next)
      const held = queue.held()
      expect(held.records).toBeLessThanOrEqual(100)
      expect(held.bytes).toBeLessThanOrEqual(1000)
      expect(counted.written + counted.dropped + held.records).toBe(added)
    }
    const closed = queue.close(closeMs)
    while (closeMs > 0 && queue.held().records > 0) {
      for (const send of sends) send.arrive()
      await nextTurn()
    }
    await closed
    expect(counted.written + counted.dropped).toBe(added)
  })
  await fc.assert(property, { numRuns: 100, verbose: 1 })
})
