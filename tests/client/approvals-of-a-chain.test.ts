import { createClient, type PendingApproval } from '@agentic-rest/client'
import { createService, createStore, defineOperation, type Operation, success } from '@agentic-rest/service'
import { startServer } from '@agentic-rest/testing/start-server'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

const store = createStore({ memory: true })
beforeAll(() => store.migrate())
afterAll(() => store.close())

const approvalBy = (name: string) => ({
  role: 'boss',
  when: () => ({ message: `${name}?`, approver: { name } }),
})

/** Starts an agent; `sent` has the approval tokens of its requests. */
async function startAgent(operation: Operation) {
  const sent: unknown[] = []
  const service = createService({ operations: [operation], store })
  onTestFinished(() => service.close())
  const { url } = await startServer((request, response) => {
    if (request.url === operation.path) sent.push(request.headers['x-approval-token'])
    service.listener(request, response)
  })
  return { url, sent }
}

test('a run collects the approvals of two agents of one chain', async () => {
  const inner = await startAgent(
    defineOperation({
      id: 'stock',
      method: 'POST',
      path: '/stock',
      approval: approvalBy('Inventory'),
      run: () => success({ stocked: true }),
    }),
  )
  const outer = await startAgent(
    defineOperation({
      id: 'plan',
      method: 'POST',
      path: '/plan',
      approval: approvalBy('Finance'),
      async run({ call, propagate }) {
        const headers = { 'X-Actor-Subject': 'planner' }
        const { url } = inner
        return propagate(
          await call({ baseUrl: url, publicUrl: url, method: 'POST', path: '/stock', headers }),
        )
      },
    }),
  )
  const asked: (string | undefined)[] = []

  async function approve({ approver }: PendingApproval): Promise<boolean> {
    asked.push(approver?.name)
    // The inner approval is at another origin, where the client does not go. Its approver knows the address.
    const pending = await store.query<{ approval_id: string }>(
      'SELECT approval_id FROM agentic_approvals WHERE approver = $1',
      [approver?.name],
    )
    const headers = { 'X-Tenant-ID': 'acme', 'X-Actor-Subject': 'bob', 'X-Actor-Roles': 'boss' }
    const { url } = approver?.name === 'Finance' ? outer : inner
    const decided = await fetch(`${url}/approvals/${pending[0]?.approval_id}/approve`, {
      method: 'POST',
      headers,
    })
    expect(decided.status).toBe(200)
    return true
  }

  const client = createClient({
    baseUrl: outer.url,
    tenantId: 'acme',
    headers: { 'X-Actor-Subject': 'alice' },
  })
  const outcome = await client.run({ method: 'POST', path: '/plan' }, { onApproval: approve })
  expect(outcome).toEqual({ type: 'success', body: { stocked: true } })
  expect(asked).toEqual(['Finance', 'Inventory'])
  const [, own, both] = outer.sent
  expect(String(both).split(', ')).toEqual([expect.any(String), own])
  expect(inner.sent).toEqual([undefined, String(both).split(', ')[0]])
})
