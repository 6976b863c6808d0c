import { describeWith } from '@agentic-rest/testing/test-with'
import { describe } from 'vitest'
import { useConsoleStack } from '../console/console-stack.ts'
import { testInbox } from '../console/inbox-tests.ts'
import { testApprovalPage } from './approval-page-tests.ts'

// One stack for both: to start it takes half as long as the tests.
describeWith('chromium', 'approvals in a browser', () => {
  const stack = useConsoleStack()
  // First, because it counts the approvals that wait.
  describe('Inbox', () => testInbox(stack))
  describe('the approval page', () => testApprovalPage(stack))
})
