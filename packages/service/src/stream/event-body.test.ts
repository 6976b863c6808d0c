import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventBody, EventReadable } from './event-body.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function open(heartbeatSeconds = 15) {
  const onLeave = vi.fn()
  const body = new EventBody({ heartbeatSeconds, onLeave })
  const reader = new EventReadable(body).getReader()
  const decoder = new TextDecoder()
  const read = async () => {
    const { done, value } = await reader.read()
    return done ? undefined : decoder.decode(value)
  }
  return { body, reader, read, left: () => onLeave.mock.calls.length }
}

describe('the body of an event stream', () => {
  it('takes a frame only when its reader wants one', async () => {
    const { body, read } = open()
    let isTaken = false
    const pushed = body.push('a').then((isSent) => {
      isTaken = true
      return isSent
    })
    await vi.advanceTimersByTimeAsync(1000)
    expect(isTaken).toBe(false)
    expect(await read()).toBe('a')
    expect(await pushed).toBe(true)
  })

  it('ends with its last frame, also behind a push that waits', async () => {
    const { body, read } = open()
    const waiting = body.push('a')
    body.end('z')
    expect(await waiting).toBe(false)
    expect(await read()).toBe('z')
    expect(await read()).toBeUndefined()
    await body.taken
    expect(await body.push('b')).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends for a reader that waits already', async () => {
    const { body, read } = open()
    const first = read()
    await vi.advanceTimersByTimeAsync(0)
    body.end('z')
    body.end('again')
    expect([await first, await read()]).toEqual(['z', undefined])
  })

  it('tells once that its reader has left, and refuses frames from then on', async () => {
    const { body, reader, left } = open()
    const waiting = body.push('a')
    await reader.cancel()
    body.leave()
    await body.taken
    expect(await waiting).toBe(false)
    expect(left()).toBe(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('closes for a reader whose request was aborted', async () => {
    const { body, read, left } = open()
    const first = read()
    await vi.advanceTimersByTimeAsync(0)
    body.leave()
    expect(await first).toBeUndefined()
    expect(left()).toBe(1)
  })

  it('sends a comment when nothing was sent for a while, and none to a reader that stalls', async () => {
    const { body, read } = open(15)
    const first = read()
    await vi.advanceTimersByTimeAsync(15_000)
    expect(await first).toBe(':\n\n')
    await vi.advanceTimersByTimeAsync(60_000)
    void body.push('a')
    expect(await read()).toBe('a')
    const second = read()
    await vi.advanceTimersByTimeAsync(14_999)
    void body.push('b')
    expect(await second).toBe('b')
  })

  it('has no timer when the heartbeat is off', () => {
    open(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
