import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makeExchange } from '../../test/plugins/make-exchange.ts'
import { type FeedBatch, FeedCollector, FeedPoll, type OtherWorkers } from './other-workers.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('requests are collected while somebody asks for them, and not when nobody has asked for two seconds', () => {
  const collector = new FeedCollector()
  collector.watch(makeExchange())
  expect(collector.take()).toEqual({ requests: [], rows: [] })
  collector.watch(makeExchange())
  expect(collector.take().requests).toHaveLength(1)
  expect(collector.take().requests).toEqual([])
  collector.watch(makeExchange())
  vi.advanceTimersByTime(2_001)
  collector.watch(makeExchange())
  expect(collector.take().requests).toEqual([])
})

test('more than 50 requests a second are counted, and 50 of them are shown', () => {
  const collector = new FeedCollector()
  collector.take()
  for (let count = 0; count < 60; count += 1) collector.watch(makeExchange())
  const { requests, rows } = collector.take()
  expect([requests.length, rows.length]).toEqual([60, 50])
})

/** Other workers that answer when they are told to. */
function makeOthers() {
  const answers: ((batches: readonly FeedBatch[]) => void)[] = []
  const feed = () => new Promise<readonly FeedBatch[]>((resolve) => answers.push(resolve))
  return { answers, others: { feed } as unknown as OtherWorkers }
}

const batch = (inFlight: number, tenant: string, open: number): FeedBatch => ({
  requests: [],
  rows: [],
  inFlight,
  streams: [{ tenant, open, limit: 5 }],
})

test('the open work of all workers is added up, tenant by tenant, while the feed is read', async () => {
  const { answers, others } = makeOthers()
  const added: FeedBatch[] = []
  const poll = new FeedPoll(others, (one) => added.push(one))
  const own = { inFlight: 1, streams: [{ tenant: 'acme', open: 2, limit: 5 }] }
  expect(poll.withOthers(own)).toEqual(own)
  poll.run(true)
  // Of the time before this reader.
  answers.shift()?.([batch(9, 'acme', 9)])
  await vi.advanceTimersByTimeAsync(100)
  const batches = [batch(3, 'acme', 1), batch(4, 'globex', 4)]
  answers.shift()?.(batches)
  await vi.advanceTimersByTimeAsync(0)
  expect(added).toEqual(batches)
  expect(poll.withOthers(own)).toEqual({
    inFlight: 8,
    streams: [
      { tenant: 'globex', open: 4, limit: 5 },
      { tenant: 'acme', open: 3, limit: 5 },
    ],
  })
  poll.run(false)
  expect(poll.withOthers(own)).toEqual(own)
})

test('nobody is asked again before the last answer', async () => {
  const { answers, others } = makeOthers()
  const poll = new FeedPoll(others, () => undefined)
  poll.run(true)
  await vi.advanceTimersByTimeAsync(1000)
  expect(answers).toHaveLength(1)
  answers.shift()?.([])
  await vi.advanceTimersByTimeAsync(1000)
  expect(answers).toHaveLength(1)
  poll.run(false)
})
