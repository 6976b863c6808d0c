import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EndedSessions } from './ended-sessions.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

test('remembers what was ended, until it is over by itself', () => {
  const ended = new EndedSessions()
  ended.add({ id: 'a', endsAt: 2000 })
  ended.add({ id: 'b', endsAt: 3000 })
  expect(ended.has({ id: 'a', endsAt: 2000 })).toBe(true)
  expect(ended.has({ id: 'c', endsAt: 2000 })).toBe(false)
  vi.setSystemTime(2000)
  ended.add({ id: 'c', endsAt: 4000 })
  expect(ended.list()).toEqual([
    { id: 'b', endsAt: 3000 },
    { id: 'c', endsAt: 4000 },
  ])
  expect(ended.has({ id: 'd', endsAt: 2500 })).toBe(false)
})

test('above its bound no ended session comes back: older ones are over too', () => {
  const ended = new EndedSessions(2)
  for (const [id, endsAt] of [
    ['a', 2000],
    ['b', 3000],
    ['c', 4000],
  ] as const)
    ended.add({ id, endsAt })
  expect(ended.list()).toHaveLength(2)
  expect(ended.has({ id: 'a', endsAt: 2000 })).toBe(true)
  expect(ended.has({ id: 'never ended', endsAt: 1900 })).toBe(true)
  expect(ended.has({ id: 'newer', endsAt: 2001 })).toBe(false)
})
