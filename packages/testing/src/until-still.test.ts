import { expect, test } from 'vitest'
import { untilStill } from './until-still.ts'

test('resolves with the first number that is read twice in a row', async () => {
  const numbers = [1, 1, 2, 2, 3]
  let last = 3
  const read = () => {
    last = numbers.shift() ?? last
    return last
  }
  expect(await untilStill(read)).toBe(3)
})
