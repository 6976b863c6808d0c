import { describe, expect } from 'vitest'
import { useConsoleStack } from '../console/console-stack.ts'
import { testInbox } from '../console/inbox-tests.ts'
import { ensureProgram, testWithProgram } from '../debian-package.ts'
import { testApprovalPage } from './approval-page-tests.ts'

const needed = { program: 'chromium', package: 'chromium' }
const found = ensureProgram(needed)

// One stack and one browser for both: to start them takes half as long as the tests.
if ('missing' in found)
  testWithProgram(needed, 'approvals are decided in a browser', () => expect.fail(found.missing))
else {
  const stack = useConsoleStack(found.path)
  // First, because it counts the approvals that wait.
  describe('Inbox', () => testInbox(stack))
  describe('the approval page', () => testApprovalPage(stack))
}
