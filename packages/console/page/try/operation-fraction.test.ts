import { expect, test } from 'vitest'
import { fractionOf, progressWords } from './operation-fraction.ts'

test.each([
  [0.25, 0.25],
  [40, 0.4],
  [{ fraction: 0.5 }, 0.5],
  [{ percent: 30 }, 0.3],
  [{ percentage: 130 }, 1],
  [{ step: 1, steps: 4 }, 0.25],
  [{ done: 3, total: 4 }, 0.75],
  [{ completed: 1, of: 2 }, 0.5],
  [{ done: 3, total: 0 }, undefined],
  [{ step: 'reading' }, undefined],
  ['half', undefined],
  [undefined, undefined],
])('%j is %j', (progress, fraction) => {
  expect(fractionOf(progress)).toBe(fraction)
})

test.each([
  ['reading', 'reading'],
  [{ message: 'reading' }, 'reading'],
  [{ step: 1, steps: 4 }, '1 of 4'],
  [{ other: 1 }, undefined],
  [null, undefined],
])('%j reads %j', (progress, words) => {
  expect(progressWords(progress)).toBe(words)
})
