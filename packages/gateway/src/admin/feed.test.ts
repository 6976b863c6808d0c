import { expect, test, vi } from 'vitest'
import type { Exchange, Reply } from '../exchange.ts'
import { FeedReaders } from './feed.ts'

/** A reader whose socket takes nothing until it is told to. */
function makeReader() {
  const sent: string[] = []
  const { promise: ended, resolve: gone } = Promise.withResolvers<void>()
  const state: { takes: boolean; closed: boolean; drained: () => void } = {
    takes: true,
    closed: false,
    drained: () => undefined,
  }
  const end = () => {
    state.closed = true
    gone()
  }
  const reply: Reply = {
    whenEnded: () => ended,
    get isFlushed() {
      return state.closed
    },
    isHeadSent: false,
    get isClosed() {
      return state.closed
    },
    head: () => undefined,
    flush: () => undefined,
    write(chunk) {
      sent.push(Buffer.from(chunk).toString())
      return state.takes
    },
    onDrain(listener) {
      state.drained = listener
    },
    end,
    destroy: end,
  }
  return { sent, state, exchange: { reply } as Exchange }
}

test('a stalled reader misses events, continues when it reads again, and is disconnected after ten seconds', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const readers = new FeedReaders()
    const { sent, state, exchange } = makeReader()
    readers.add(exchange, [])
    state.takes = false
    const send = (text: string) => readers.send(Buffer.from(text))
    send('1')
    send('2')
    vi.advanceTimersByTime(9_000)
    send('3')
    expect(sent.slice(1)).toEqual(['1'])
    state.drained()
    send('4')
    expect(sent.slice(1)).toEqual(['1', '4'])
    vi.advanceTimersByTime(10_001)
    send('5')
    expect([sent.slice(1), state.closed]).toEqual([['1', '4'], true])
    await exchange.reply.whenEnded()
    expect(readers.count).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a reader has to reconnect after a quarter of an hour, because its token may have expired', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const readers = new FeedReaders()
    const { state, exchange } = makeReader()
    readers.add(exchange, [])
    vi.advanceTimersByTime(15 * 60_000)
    readers.send(Buffer.from('1'))
    expect(state.closed).toBe(false)
    vi.advanceTimersByTime(1)
    readers.send(Buffer.from('2'))
    expect(state.closed).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
