import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { emptyAcceptQueue } from './accept-queue.ts'

// Turns are as long as the test says, also on a busy machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

function workFor(milliseconds: number): void {
  vi.advanceTimersByTime(milliseconds)
}

it('goes on while connections are accepted', async () => {
  let accepted = 0
  const queue = () => {
    accepted += 1
    if (accepted < 20) setImmediate(queue)
  }
  setImmediate(queue)
  await emptyAcceptQueue(() => accepted)
  expect(accepted).toBe(20)
})

it('does not end in a long turn, in which a connection could have come unseen', async () => {
  let longTurns = 0
  const work = () => {
    workFor(5)
    longTurns += 1
    if (longTurns < 12) setImmediate(work)
  }
  setImmediate(work)
  await emptyAcceptQueue(() => 0)
  expect(longTurns).toBe(12)
})

it('ends where every turn is long', async () => {
  let isOver = false
  let longTurns = 0
  const work = () => {
    if (isOver) return
    workFor(5)
    longTurns += 1
    setImmediate(work)
  }
  setImmediate(work)
  await emptyAcceptQueue(() => 0, 10_000)
  isOver = true
  expect(longTurns).toBeLessThan(400)
})

it('accepts the whole queue after a turn that is later than its bound', async () => {
  let accepted = 0
  const queue = () => {
    workFor(accepted === 0 ? 60 : 0)
    accepted += 1
    if (accepted < 20) setImmediate(queue)
  }
  setImmediate(queue)
  await emptyAcceptQueue(() => accepted, 50, 60_000)
  expect(accepted).toBe(20)
})

it('ends at its latest time where every turn is late and brings a connection', async () => {
  let isOver = false
  let accepted = 0
  const late = () => {
    if (isOver) return
    workFor(5)
    accepted += 1
    setImmediate(late)
  }
  setImmediate(late)
  await emptyAcceptQueue(() => accepted, 20, 40)
  isOver = true
  expect(accepted).toBeLessThan(20)
})

it('ends at its bound where every turn brings a connection', async () => {
  let accepted = 0
  const startedAt = performance.now()
  const connect = () => {
    workFor(1)
    accepted += 1
    return accepted
  }
  await emptyAcceptQueue(connect, 30)
  expect(performance.now() - startedAt).toBeGreaterThan(29)
})
