import { expect, test, vi } from 'vitest'
import { memoize } from './memoize.ts'

test('a text is computed once', () => {
  const compute = vi.fn((text: string) => text.length > 3)
  const isLong = memoize(compute)
  expect([isLong('four'), isLong('four'), isLong('two'), isLong('two')]).toEqual([true, true, false, false])
  expect(compute).toHaveBeenCalledTimes(2)
})

test('after a thousand texts new ones are computed and not kept', () => {
  const compute = vi.fn((text: string) => text.length)
  const lengthOf = memoize(compute)
  for (let index = 0; index < 1000; index += 1) lengthOf(`text-${index}`)
  expect([lengthOf('one more'), lengthOf('one more'), lengthOf('text-0')]).toEqual([8, 8, 6])
  expect(compute).toHaveBeenCalledTimes(1002)
})

test('a long text is not kept', () => {
  const compute = vi.fn((text: string) => text.length)
  const lengthOf = memoize(compute)
  expect([lengthOf('x'.repeat(257)), lengthOf('x'.repeat(257))]).toEqual([257, 257])
  expect(compute).toHaveBeenCalledTimes(2)
})

test('the function gets a text of its own, equal to the one that was given', () => {
  const same = memoize((text) => text)
  for (const text of ['x-request-id', '__proto__', '12', '', 'ü'])
    expect(same(`a ${text}`.slice(2))).toBe(text)
})
