import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { startServer } from '@agentic-rest/testing/start-server'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect } from 'vitest'
import { answerApprovals, pendingApproval } from '../../packages/cli/test/harness/approvals-service.ts'
import { sendOutcome } from '../../packages/cli/test/harness/outcome-service.ts'
import { onTerminal } from './on-terminal.ts'

async function startApprovals() {
  const sent: string[] = []
  const { url } = await startServer(async (request, response) => {
    if (request.method === 'GET') return answerApprovals(request, response)
    sent.push(`${request.url} ${await text(request)}`)
    sendOutcome(request, response, { type: 'success', body: { ...pendingApproval, state: 'approved' } })
  })
  return { url, sent }
}

testWith('script', 'approve shows the inputs and decides after a yes, with the digest', async () => {
  const { url, sent } = await startApprovals()
  const args = ['approvals', 'approve', 'a-1', '--base-url', url, '--comment', 'fine']
  const { code, screen } = await onTerminal(args, [['[y/N] ', 'y\r']])
  const shown = stripVTControlCharacters(screen)
  expect(shown.indexOf('body.amount   500')).toBeGreaterThan(-1)
  expect(shown.indexOf('body.amount   500')).toBeLessThan(shown.indexOf('Approve this request?'))
  expect(sent).toEqual(['/approvals/a-1/approve {"digest":"d-1","comment":"fine"}'])
  expect(code).toBe(0)
})

testWith('script', 'approve decides nothing after any other answer, Ctrl-D or Ctrl-C', async () => {
  for (const [typed, expected] of [
    ['\r', 1],
    ['no\r', 1],
    ['\u0004', 1],
    ['\u0003', 130],
  ] as const) {
    const { url, sent } = await startApprovals()
    const { code } = await onTerminal(['approvals', 'approve', 'a-1', '--base-url', url], [['[y/N] ', typed]])
    expect([typed, code, sent]).toEqual([typed, expected, []])
  }
})
