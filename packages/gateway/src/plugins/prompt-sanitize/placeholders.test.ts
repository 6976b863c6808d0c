import { expect, it } from 'vitest'
import { createPlaceholderFinder } from './placeholders.ts'
import { NO_SPANS } from './text-view.ts'

it('finds every one, as it is written and nowhere else', () => {
  const find = createPlaceholderFinder(['[REDACTED:email]', 'a.c', 'a.c'])
  expect(find('[REDACTED:email] abc a.c[REDACTED:email]')).toEqual([
    { start: 0, end: 16 },
    { start: 21, end: 24 },
    { start: 24, end: 40 },
  ])
})

it('finds one at the very beginning, and says so of a text without any at no cost', () => {
  const find = createPlaceholderFinder(['x'])
  expect(find('x')).toEqual([{ start: 0, end: 1 }])
  expect(find('yyy')).toBe(NO_SPANS)
})

it('finds the longest of those that begin alike, in whatever order they are given', () => {
  for (const given of [
    ['[X]', '[X][Y]'],
    ['[X][Y]', '[X]'],
  ])
    expect(createPlaceholderFinder(given)('a[X][Y]')).toEqual([{ start: 1, end: 7 }])
})

it('finds nothing for a replacement by nothing', () => {
  expect(createPlaceholderFinder([''])('text')).toBe(NO_SPANS)
  expect(createPlaceholderFinder(['', 'ex'])('text')).toEqual([{ start: 1, end: 3 }])
  expect(createPlaceholderFinder([])('text')).toBe(NO_SPANS)
})
