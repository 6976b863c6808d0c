import { type Approval, readApproval } from '@agentic-rest/profile/approval'

/** When the examples are looked at. */
export const NOW = Date.parse('2026-05-04T12:00:00Z')

/** A pending approval of alice for tests, with the given members. */
export function exampleApproval(members: object = {}): Approval {
  return readApproval({
    approvalId: 'a-1',
    state: 'pending',
    operation: 'create-payment',
    message: 'Pay 750?',
    role: 'finance',
    requester: 'alice',
    request: { method: 'POST', path: '/payments', inputs: { body: { amount: 750 }, query: {} } },
    digest: 'd-1',
    quorum: 1,
    decisions: [],
    via: [],
    createdAt: '2026-05-04T11:00:00Z',
    expiresAt: '2026-05-04T14:04:00Z',
    ...members,
  })
}

/** A JWT with the given claims for tests. */
export function exampleToken(claims: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(claims))
  const payload = btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
  return `e30.${payload}.signature`
}
