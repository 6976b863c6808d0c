import { readApproval } from '@agentic-rest/profile/approval'
import { expect, test } from 'vitest'
import { approvalText } from './show-approvals.ts'

const shown = (request: unknown) =>
  approvalText(
    readApproval({ approvalId: 'a-1', state: 'pending', operation: 'restart', request }),
    process.stdout,
  )

test.each([
  ['with inputs', { inputs: { body: { amount: 5, to: 'a\u202eb' }, query: {} } }, '  body.amount  5\n'],
  ['without the member', {}, '  The request has no inputs.\n'],
  ['with an empty place', { inputs: { body: {} } }, '  The request has no inputs.\n'],
  ['with all of them cut', { inputs: {}, truncated: true }, '  Some values are too large to be shown.'],
])('a request %s shows what becomes of them', (_title, members, line) => {
  const text = shown({ method: 'POST', path: '/restarts', ...members })
  expect(text).toContain('  POST /restarts\n')
  expect(text).toContain(line)
  expect(text).not.toMatch(/\u202e|query|does not show/)
})

test('a request that is not kept is not shown', () => {
  expect(shown(null)).toContain('The service does not show the request.\n')
})
