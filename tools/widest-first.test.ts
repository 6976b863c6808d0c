import { expect, test } from 'vitest'
import { widthOf } from './widest-first.ts'

test('tests of whole stacks come before those of a package, and unit tests come last', () => {
  const files = [
    'packages/gateway/src/log.test.ts',
    'packages/gateway/test/drain.test.ts',
    'tools/markdown.test.ts',
    'tests/console/console.test.ts',
    'examples/stack/test/tour.test.ts',
  ]
  expect(files.map(widthOf)).toEqual([0, 1, 0, 2, 2])
})
