import { describe, expect } from 'vitest'
import { ensureProgram, testWithProgram } from '../debian-package.ts'
import { useConsoleStack } from './console-stack.ts'
import { testTimeline } from './timeline-tests.ts'
import { testTry } from './try-tests.ts'

const needed = { program: 'chromium', package: 'chromium' }
const found = ensureProgram(needed)

// One stack and one browser for both: to start them takes as long as the tests of a view.
if ('missing' in found)
  testWithProgram(needed, 'Timeline and Try work in a browser', () => expect.fail(found.missing))
else {
  const stack = useConsoleStack(found.path)
  describe('Timeline', () => testTimeline(stack))
  describe('Try', () => testTry(stack))
}
