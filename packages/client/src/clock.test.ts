import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { isTimed, systemClock, untilAborted } from './clock.ts'

const aborted = (cause: unknown) =>
  expect.objectContaining({ name: 'TransportError', code: 'ABORTED', cause })

describe('a sleep', () => {
  test('ends by itself and leaves nothing at the signal', async () => {
    const { signal } = new AbortController()
    await systemClock.sleep(1, signal)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('ends when its signal is aborted, before or during it', async () => {
    const controller = new AbortController()
    const sleeping = systemClock.sleep(60_000, controller.signal)
    controller.abort('enough')
    await expect(sleeping).rejects.toEqual(aborted('enough'))
    await expect(systemClock.sleep(60_000, controller.signal)).rejects.toEqual(aborted('enough'))
  })

  test('of more than a timer can hold does not end at once', async () => {
    const controller = new AbortController()
    const sleeping = systemClock.sleep(2 ** 40, controller.signal)
    const first = await Promise.race([sleeping, systemClock.sleep(20, undefined).then(() => 'still asleep')])
    expect(first).toBe('still asleep')
    controller.abort()
    await expect(sleeping).rejects.toThrow('the request was aborted')
  })
})

describe('work of the caller', () => {
  test('is waited for, and its error is its own', async () => {
    const { signal } = new AbortController()
    expect(await untilAborted(Promise.resolve(1), signal)).toBe(1)
    expect(await untilAborted(2, undefined)).toBe(2)
    await expect(untilAborted(Promise.reject(new RangeError('mine')), signal)).rejects.toThrow(RangeError)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('is not waited for once the signal is aborted', async () => {
    const controller = new AbortController()
    const waiting = untilAborted(new Promise(() => undefined), controller.signal)
    controller.abort('enough')
    await expect(waiting).rejects.toEqual(aborted('enough'))
  })
})

test.each([
  [1, true],
  [2 ** 31 - 1, true],
  [2 ** 31, false],
  [Number.POSITIVE_INFINITY, false],
  [0, false],
  [-1, false],
  [Number.NaN, false],
])('a limit of %d milliseconds is kept: %s', (milliseconds, kept) => {
  expect(isTimed(milliseconds)).toBe(kept)
})
