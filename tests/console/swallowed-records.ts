import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'

/** Posts the records of an exchange in which an agent turned a failed dependency into a success. Returns its correlation id. */
export async function postSwallowed(
  adminUrl: string,
  { correlationId = randomUUID() as string, operation = 'recommend' } = {},
): Promise<string> {
  const start = Date.now()
  const record = (part: string, at: number, own: object) =>
    post(adminUrl, part, {
      tenant_id: 'acme',
      correlation_id: correlationId,
      resource_id: 'prd-1',
      timestamp: new Date(start + at).toISOString(),
      attributes: {},
      ...own,
    })
  const outer = { request_id: 'r-1', actor_id: 'alice', operation }
  const inner = { request_id: 'r-2', actor_id: 'shop', operation: 'read-stock' }
  const received = { event_type: 'agentic.request.received', outcome: 'success' }
  const written = 'agentic.response.written'
  await record('edge', 0, {
    ...outer,
    ...received,
    attributes: { outcome_type: 'success', duration_ms: '120' },
  })
  await record('stock', 60, { ...inner, event_type: written, outcome: 'failed_dependency' })
  await record('shop', 110, { ...outer, event_type: written, outcome: 'success' })
  return correlationId
}

async function post(adminUrl: string, part: string, record: object): Promise<void> {
  const answer = await fetch(`${adminUrl}/api/records?part=${part}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify([record]),
  })
  expect(answer.status).toBe(204)
}
