import { text } from 'node:stream/consumers'
import { outcomes } from '@agentic-rest/profile'
import { startServer } from '@agentic-rest/testing/start-server'
import { expect, test } from 'vitest'
import { exampleApproval } from '../page/inbox/example-approval.ts'
import { decideApproval } from '../page/try/approvals.ts'

test('a decision of Try counts only for the request that was shown', async () => {
  const sent: unknown[] = []
  const { url } = await startServer(async (request, response) => {
    sent.push([request.method, request.url, JSON.parse(await text(request))])
    response.writeHead(outcomes.success.status, { 'content-type': 'application/json' }).end('{}')
  })
  const access = { baseUrl: url, token: 'token', location: '/approvals/a-1', correlationId: undefined }
  await decideApproval(access, 'approve', exampleApproval({ digest: 'd-1' }))
  expect(sent).toEqual([['POST', '/approvals/a-1/approve', { digest: 'd-1' }]])
})
