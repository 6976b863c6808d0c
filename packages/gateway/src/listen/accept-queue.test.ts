import { expect, it } from 'vitest'
import { emptyAcceptQueue } from './accept-queue.ts'

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
    const until = performance.now() + 5
    while (performance.now() < until);
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
    const until = performance.now() + 5
    while (performance.now() < until);
    longTurns += 1
    if (!isOver) setImmediate(work)
  }
  setImmediate(work)
  await emptyAcceptQueue(() => 0, 10_000)
  isOver = true
  expect(longTurns).toBeLessThan(400)
})

it('accepts the whole queue after a turn that is later than its bound', async () => {
  let accepted = 0
  const queue = () => {
    const until = performance.now() + (accepted === 0 ? 60 : 0)
    while (performance.now() < until);
    accepted += 1
    if (accepted < 20) setImmediate(queue)
  }
  setImmediate(queue)
  await emptyAcceptQueue(() => accepted, 50, 60_000)
  expect(accepted).toBe(20)
})

it('ends at its latest time where every turn is late and brings a connection', async () => {
  let accepted = 0
  const late = () => {
    const until = performance.now() + 5
    while (performance.now() < until);
    accepted += 1
    if (accepted < 200) setImmediate(late)
  }
  setImmediate(late)
  await emptyAcceptQueue(() => accepted, 20, 40)
  expect(accepted).toBeLessThan(20)
})

it('ends at its bound where every turn brings a connection', async () => {
  let accepted = 0
  const startedAt = performance.now()
  await emptyAcceptQueue(() => (accepted += 1), 30)
  expect(performance.now() - startedAt).toBeGreaterThan(29)
})
