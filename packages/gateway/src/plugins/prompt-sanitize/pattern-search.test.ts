import { expect, test } from 'vitest'
import { createPatternSearch, patternFault } from './pattern-search.ts'

test.each([
  [
    '[0-9]+',
    'a12b3',
    [
      [1, 3],
      [4, 5],
    ],
  ],
  ['é+', 'x😀éé', [[3, 5]]],
  ['\\u{1F600}', 'a😀', [[1, 3]]],
  ['x*', 'axxb', [[1, 3]]],
  ['a/b', 'a/b', [[0, 3]]],
])('%s in %j', (pattern, text, expected) => {
  const spans = createPatternSearch(pattern)(text)
  expect(spans.map(({ start, end }) => [start, end])).toEqual(expected)
})

test.each([
  ['(?=secret)', 'invalid or unsupported Perl syntax'],
  ['(secret)\\1', 'invalid escape sequence'],
  ['secret{1,5000}', 'invalid repeat count'],
  ['(secret', 'missing closing )'],
])('the fault of %s is told without the pattern', (pattern, fault) => {
  expect(patternFault(pattern)).toBe(fault)
})

test('a pattern that can be used has no fault', () => {
  expect(patternFault('TCK-[0-9]{6}')).toBeUndefined()
})
