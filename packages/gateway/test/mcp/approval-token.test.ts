import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { type Outcome, writeOutcome } from '@agentic-rest/profile'
import { startGateway } from '@agentic-rest/testing/start-gateway'
import { startUpstream, traceOf } from '@agentic-rest/testing/start-upstream'
import { expect, test } from 'vitest'
import { development } from '../admin/harness/start-admin.ts'
import { openSession, send } from './asking-service.ts'

const TOKEN = 'the-token-that-must-not-leave'

/** A service whose payments need an approval, which is decided at the third look. */
async function startPayments() {
  let looks = 0
  return await startUpstream((request, response) => {
    const approval = { state: looks > 2 ? 'approved' : 'pending', role: 'finance' }
    const needed: Outcome = {
      type: 'approval_required',
      message: 'Pay 500?',
      approvalToken: TOKEN,
      approver: { name: 'Finance' },
    }
    const isApproved = request.headers['x-approval-token'] === TOKEN
    const paid: Outcome = isApproved ? { type: 'created', body: { paid: 500 } } : needed
    const isLook = request.url.startsWith('/approvals/')
    if (isLook) looks += 1
    const { status, headers, body } = writeOutcome(
      isLook ? { type: 'success', body: approval } : paid,
      traceOf(request),
    )
    response.writeHead(status, { ...headers, Location: '/approvals/apr-1' }).end(body)
  })
}

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { url: {} } },
}
const modernHeaders = {
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'pay',
}

test('an approval token is in no answer, log, record, metric or answer of the admin listener', async () => {
  const { url: target, requests } = await startPayments()
  const written: string[] = []
  const { url, gateway, log, metrics } = await startGateway(
    {
      gateway: { admin: { port: 0 } },
      plugins: { 'otel-audit': { include_request_body: true, include_rejected: true } },
      mcp: {},
      routes: [
        {
          id: 'pay',
          method: 'POST',
          path: '/payments',
          target,
          mcp: { input: 'none', description: 'Pays.' },
        },
        { id: 'approval', method: 'GET', path: '/approvals/{id}', target },
      ],
    },
    {
      admin: { development },
      stdout: new Writable({ write: (chunk, _encoding, done) => done(void written.push(String(chunk))) }),
    },
  )
  const answers: string[] = []
  /** Sends a request and keeps the whole answer; resolves with the result of its last message. */
  const ask = async (headers: Record<string, string>, params: object) => {
    const answer = text(await send(url, { body: { id: 1, method: 'tools/call', params }, headers }))
    answers.push(await answer)
    const last = (await answer).trimEnd().split('\n').at(-1) ?? ''
    return JSON.parse(last.replace(/^data: /, '')).result
  }
  const call = { name: 'pay', arguments: { amount: 500 } }
  const round = (more: object = {}) => ask(modernHeaders, { ...call, _meta: modern, ...more })
  // A client that cannot show links, one of 2026 that can, and one of 2025.
  const without = { ...modern, 'io.modelcontextprotocol/clientCapabilities': {} }
  expect(await round({ _meta: without })).toMatchObject({ isError: true })
  const { requestState } = await round()
  const accepted = { requestState, inputResponses: { approval: { action: 'accept' } } }
  expect(await round(accepted)).toMatchObject({ structuredContent: { paid: 500 } })
  expect(await ask(await openSession(url), call)).toMatchObject({ structuredContent: { paid: 500 } })
  expect(requests.filter(({ headers }) => headers['x-approval-token'] === TOKEN)).toHaveLength(2)

  const admin = `http://127.0.0.1:${gateway.adminPort}`
  const records = written.join('').trimEnd().split('\n')
  expect(records.length).toBeGreaterThan(5)
  const seen = await Promise.all([
    metrics(),
    ...['requests', 'recent', 'gateway'].map(async (path) => (await fetch(`${admin}/api/${path}`)).text()),
    ...records.flatMap((line) => {
      const { request_id, correlation_id } = JSON.parse(line)
      return [`exchanges/${request_id}`, `records?correlation_id=${correlation_id}`].map(async (path) =>
        (await fetch(`${admin}/api/${path}`)).text(),
      )
    }),
  ])
  expect(seen.filter((each) => each.includes('"pay"')).length).toBeGreaterThan(5)
  for (const each of [...answers, ...seen, written.join(''), JSON.stringify(log)])
    expect(each).not.toContain(TOKEN)
})
