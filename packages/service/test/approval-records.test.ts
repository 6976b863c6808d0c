import { sharedStore } from '@agentic-rest/testing/shared-store'
import { startService } from '@agentic-rest/testing/start-service'
import { expect, it } from 'vitest'
import { type AuditEvent, created, defineOperation } from '../src/index.ts'
import { serve } from '../src/node.ts'
import { ask } from './harness/ask.ts'

const store = sharedStore()

const pay = defineOperation({
  id: 'pay',
  method: 'POST',
  path: '/pay',
  async: true,
  approval: { role: 'finance', when: () => ({ message: 'Pay?', approver: { name: 'Finance' } }) },
  run: () => created({}),
})

const bob = { 'x-actor-subject': 'bob', 'x-actor-roles': 'finance' }

function approvalRecords(audit: readonly AuditEvent[]) {
  return audit.filter(({ event_type }) => event_type.startsWith('agentic.approval.'))
}

it('each change of an approval is recorded once, without the text of a comment', async () => {
  const { url, audit } = await startService({ operations: [pay], store })
  const send = (headers = {}) => ask(`${url}/pay`, { method: 'POST', headers })
  const gate = await send()
  await send()
  const location = gate.headers.get('location') ?? ''
  const approval_id = location.slice('/approvals/'.length)
  const { digest } = JSON.parse((await ask(url + location)).text)
  await ask(`${url}${location}/approve`, { headers: bob, json: { comment: 'private' } })
  const token = JSON.parse(gate.text).approvalToken as string
  expect((await send({ 'x-approval-token': token })).status).toBe(201)
  const second = await send()
  await ask(`${url}${second.headers.get('location')}/withdraw`, { method: 'POST' })
  const common = { tenant_id: 'acme', correlation_id: 'corr-1', request_id: 'req-1' }
  expect(approvalRecords(audit)).toMatchObject([
    {
      ...common,
      event_type: 'agentic.approval.requested',
      operation: 'pay',
      outcome: 'approval_required',
      attributes: { approval_id, digest, status: 'pending', token_sub: 'alice' },
    },
    {
      ...common,
      event_type: 'agentic.approval.decided',
      operation: 'agentic.approve',
      outcome: 'success',
      attributes: {
        approval_id,
        digest,
        status: 'approved',
        verdict: 'approved',
        comment_length: '7',
        token_sub: 'bob',
      },
    },
    {
      ...common,
      event_type: 'agentic.approval.used',
      operation: 'pay',
      outcome: 'created',
      attributes: { approval_id, digest, status: 'used', token_sub: 'alice' },
    },
    { event_type: 'agentic.approval.requested' },
    { event_type: 'agentic.approval.withdrawn', attributes: { status: 'withdrawn' } },
  ])
  expect(JSON.stringify(audit)).not.toContain('private')
})

it('an approval is recorded as used when its background operation has ended', async () => {
  const { url, audit } = await startService({ operations: [pay], store })
  const send = (headers = {}) => ask(`${url}/pay`, { method: 'POST', headers })
  const gate = await send()
  await ask(`${url}${gate.headers.get('location')}/approve`, { method: 'POST', headers: bob })
  const token = JSON.parse(gate.text).approvalToken as string
  const accepted = await send({ 'x-approval-token': token, prefer: 'respond-async' })
  expect(accepted.status).toBe(202)
  await expect
    .poll(() => approvalRecords(audit).map(({ event_type }) => event_type))
    .toEqual(['agentic.approval.requested', 'agentic.approval.decided', 'agentic.approval.used'])
})

it('an approval that nobody decides is recorded as expired', async () => {
  let now = Date.now()
  const options = { operations: [pay], store, runtime: { now: () => new Date(now) } }
  const first = await startService(options)
  await ask(`${first.url}/pay`, { method: 'POST' })
  now += 24 * 60 * 60 * 1000
  const { audit } = await startService(options)
  await expect
    .poll(() => approvalRecords(audit))
    .toMatchObject([
      {
        event_type: 'agentic.approval.expired',
        tenant_id: 'acme',
        operation: 'pay',
        correlation_id: 'corr-1',
        attributes: { status: 'expired', token_sub: 'alice' },
      },
    ])
})

it('serve answers GET /metrics with waits, operations by state and the oldest pending approval', async () => {
  const { service } = await startService({ operations: [pay], store })
  const served = await serve({ fetch: service.fetch, port: 0, closes: [service] })
  const url = `http://127.0.0.1:${served.port}`
  const [first, second] = [
    await ask(`${url}/pay`, { method: 'POST' }),
    await ask(`${url}/pay`, { method: 'POST', headers: { 'x-actor-subject': 'carol' } }),
  ]
  await ask(`${url}${first.headers.get('location')}/reject`, { method: 'POST', headers: bob })
  const metrics = await ask(`${url}/metrics`)
  await served.stop()
  expect(second.status).toBe(412)
  expect([metrics.status, metrics.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  expect(metrics.text).toContain(
    'agentic_approval_wait_seconds_bucket{le="60",operation="pay",verdict="rejected"} 1\n',
  )
  expect(metrics.text).toContain(
    'agentic_approval_wait_seconds_count{operation="pay",verdict="rejected"} 1\n',
  )
  expect(metrics.text).toMatch(/^agentic_approvals_oldest_pending_seconds [0-9.]+$/m)
  expect(metrics.text).toContain('# TYPE agentic_operations gauge\n')
})

it('the oldest pending approval is the oldest that still waits, and 0 without one', async () => {
  // A store of its own: approvals of other tests wait too.
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 60 * 60 * 1000)
  const clock = { now: hoursAgo(3) }
  const { url, service } = await startService({ operations: [pay], runtime: { now: () => clock.now } })
  const oldest = async () =>
    Number(/^agentic_approvals_oldest_pending_seconds (.+)$/m.exec(await service.metrics())?.[1])
  const request = (subject: string) =>
    ask(`${url}/pay`, { method: 'POST', headers: { 'x-actor-subject': subject } })
  const reject = ({ headers }: Awaited<ReturnType<typeof request>>) =>
    ask(`${url}${headers.get('location')}/reject`, { method: 'POST', headers: bob })
  expect(await oldest()).toBe(0)
  const first = await request('alice')
  clock.now = hoursAgo(1)
  const second = await request('carol')
  expect(Math.round((await oldest()) / 3600)).toBe(3)
  await reject(first)
  expect(Math.round((await oldest()) / 3600)).toBe(1)
  await reject(second)
  expect(await oldest()).toBe(0)
})

it('10,000 open approvals are listed page by page, each page small', async () => {
  const { url } = await startService({ operations: [pay], store })
  await store.query(
    `INSERT INTO agentic_approvals (tenant_id, approval_id, operation, requester, digest, role, message, approver, state,
       created_at, expires_at, request)
     SELECT 'acme', 'a-' || n, 'pay', 'requester-' || n % 20, 'digest-' || n, 'finance', 'Pay?', 'Finance', 'pending',
       clock_timestamp() - n * interval '1 millisecond', clock_timestamp() + interval '1 day',
       '{"method": "POST", "path": "/pay", "inputs": {}}' FROM generate_series(1, 10000) AS n`,
  )
  const seen = new Set<string>()
  let cursor = ''
  let pages = 0
  do {
    const { text } = await ask(`${url}/approvals?state=pending&limit=100${cursor}`, { headers: bob })
    const { approvals, next } = JSON.parse(text) as { approvals: { approvalId: string }[]; next?: string }
    expect([approvals.length, text.length < 64 * 1024]).toEqual([100, true])
    for (const { approvalId } of approvals) seen.add(approvalId)
    cursor = next === undefined ? '' : `&cursor=${next}`
    pages += 1
  } while (cursor !== '')
  expect([pages, seen.size]).toEqual([100, 10_000])
})
