import { expect, test } from 'vitest'
import { createPatternSearch } from './compile-rules.ts'

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
