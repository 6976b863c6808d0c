import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeywordMatcher } from './keywords.ts'

test.each([
  [['a'], 'bab', [[1, 2]]],
  [['abc', 'b'], 'xabcx', [[1, 4]]],
  [['he', 'she', 'hers'], 'ushers', [[1, 6]]],
  [['ab'], 'ababab', [[0, 6]]],
  [
    ['ab'],
    'ab ab',
    [
      [0, 2],
      [3, 5],
    ],
  ],
  [['aaab'], 'aaaaaab', [[3, 7]]],
  [['b', 'abc'], 'ab', [[1, 2]]],
  [['x'], '', []],
])('%j in %j', (keywords, text, expected) => {
  const spans = createKeywordMatcher(keywords)(text)
  expect(spans.map(({ start, end }) => [start, end])).toEqual(expected)
})

const seed = Number(process.env['SEED'])

test(`it covers exactly what a search for each keyword covers (seed ${seed})`, () => {
  const word = fc.stringMatching(/^[abc]{1,4}$/)
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.stringMatching(/^[abc ]{0,40}$/),
      (keywords, text) => {
        expect(covered(createKeywordMatcher(keywords)(text), text)).toBe(
          covered(searchEach(keywords, text), text),
        )
      },
    ),
    { seed, numRuns: 3000 },
  )
})

function searchEach(keywords: readonly string[], text: string) {
  return keywords.flatMap((keyword) =>
    Array.from(text, (_, start) => ({ start, end: start + keyword.length })).filter(({ start }) =>
      text.startsWith(keyword, start),
    ),
  )
}

function covered(spans: readonly { start: number; end: number }[], text: string): string {
  return Array.from(text, (_, index) =>
    spans.some(({ start, end }) => start <= index && index < end) ? '#' : '.',
  ).join('')
}
