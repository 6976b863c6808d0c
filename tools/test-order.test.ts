import { expect, test } from 'vitest'
import { testOrder } from './test-order.ts'

test('tests of whole stacks are mixed with those of packages, long ones begin, and unit tests end', () => {
  const files = [
    'packages/gateway/src/log.test.ts',
    'packages/gateway/test/drain.test.ts',
    'tests/packing.test.ts',
    'tools/markdown.test.ts',
    'examples/stack/test/tour.test.ts',
    'packages/service/test/close.test.ts',
    'tests/approvals/in-browser.test.ts',
  ]
  expect(testOrder(files, (file) => file)).toEqual([
    'tests/approvals/in-browser.test.ts',
    'packages/gateway/test/drain.test.ts',
    'tests/packing.test.ts',
    'packages/service/test/close.test.ts',
    'examples/stack/test/tour.test.ts',
    'packages/gateway/src/log.test.ts',
    'tools/markdown.test.ts',
  ])
})
