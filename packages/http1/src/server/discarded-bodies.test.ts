import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiscardedBodies, type UnwantedBody } from './discarded-bodies.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout'] }))
afterEach(() => void vi.useRealTimers())

/** A body that remembers whether its connection is read. */
class FakeBody implements UnwantedBody {
  isRead = true
  onOver: (() => void) | undefined = undefined

  drop(): void {
    this.isRead = true
  }

  pause(): void {
    this.isRead = false
  }
}

function discard(count: number) {
  const discarded = new DiscardedBodies()
  const bodies = Array.from({ length: count }, () => new FakeBody())
  for (const body of bodies) discarded.add(body)
  vi.advanceTimersByTime(1)
  return { discarded, bodies }
}

const readOnes = (bodies: readonly FakeBody[]) =>
  bodies.flatMap(({ isRead }, index) => (isRead ? [index] : []))

it('reads eight bodies at a time; the next one follows when one has ended', () => {
  const { bodies } = discard(10)
  expect(readOnes(bodies)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  bodies[3]?.onOver?.()
  bodies[5]?.onOver?.()
  expect(readOnes(bodies)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('forgets a client that left before its turn', () => {
  const { bodies } = discard(10)
  bodies[8]?.onOver?.()
  bodies[0]?.onOver?.()
  expect(readOnes(bodies)).not.toContain(8)
  expect(readOnes(bodies)).toContain(9)
})

it('gives the place of a client that does not send to one that waits', () => {
  const { bodies } = discard(9)
  vi.advanceTimersByTime(98)
  expect(bodies[8]?.isRead).toBe(false)
  vi.advanceTimersByTime(1)
  expect(bodies[8]?.isRead).toBe(true)
  expect(readOnes(bodies)).toHaveLength(8)
  const seen = new Set<number>()
  for (let turn = 0; turn < 20; turn += 1) {
    for (const index of readOnes(bodies)) seen.add(index)
    vi.advanceTimersByTime(100)
  }
  expect(seen.size).toBe(9)
})

it('lets a client go on alone for as long as nobody waits', () => {
  const {
    bodies: [only],
  } = discard(1)
  vi.advanceTimersByTime(10_000)
  expect(only?.isRead).toBe(true)
})

it('keeps nothing of clients that leave before their bodies are complete', () => {
  const { discarded, bodies } = discard(20)
  expect(discarded.count).toBe(20)
  for (const body of bodies) body.onOver?.()
  expect(discarded.count).toBe(0)
})
