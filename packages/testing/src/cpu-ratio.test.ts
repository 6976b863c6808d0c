import { expect, test } from 'vitest'
import { cpuRatio, growth, LINEAR, timesOfReference } from './cpu-ratio.ts'

function read(steps: number): number {
  let sum = 0
  for (let step = 0; step < steps; step += 1) sum = (sum * 31 + step) | 0
  return sum
}
const reading = (steps: number) => () => read(steps)

test('four times the work takes about four times as long', async () => {
  const compared = { work: reading(400_000), reference: reading(100_000) }
  expect(await cpuRatio({ ...compared, below: 6 })).toBeLessThan(6)
  // A limit that is not reached: all rounds are run.
  expect(await cpuRatio({ ...compared, below: 0 })).toBeGreaterThan(2.5)
})

test('the growth of linear time is below the limit, that of quadratic time above it', async () => {
  expect(await growth({ workOf: reading, size: 400_000 })).toBeLessThan(LINEAR)
  expect(await growth({ workOf: (size) => reading(size * size), size: 800 })).toBeGreaterThan(5)
})

test('work that waits costs nothing, and work after a wait counts', async () => {
  const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
  expect(await timesOfReference({ work: nextTurn, below: 0.5 })).toBeLessThan(0.5)
  const late = async () => {
    await nextTurn()
    read(5_000_000)
  }
  expect(await timesOfReference({ work: late, below: 1 })).toBeGreaterThan(1)
})
