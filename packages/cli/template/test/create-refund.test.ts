import assert from 'node:assert/strict'
import { test } from 'node:test'
import { alice, dave, send } from './send.ts'

const refund = (orderId: string, headers: Record<string, string> = {}) =>
  send(`POST /orders/${orderId}/refunds`, { body: { reason: 'broken' }, headers })

test('a small refund needs nobody: created', async () => {
  const { status, body } = await refund('o-1')
  assert.equal(status, 201)
  assert.deepEqual([body['orderId'], body['total']], ['o-1', 40])
})

test('a large refund waits for a manager: approval_required', async () => {
  const asked = await refund('o-2')
  assert.deepEqual([asked.status, asked.body['message']], [412, 'Pay 250 back for o-2?'])
  const token = { 'X-Approval-Token': String(asked.body['approvalToken']) }
  const approve = `POST ${asked.headers.get('Location')}/approve`

  assert.equal((await refund('o-2', token)).status, 412, 'not approved yet')
  const own = await send(approve, { as: { ...alice, roles: ['manager'] } })
  assert.deepEqual([own.status, own.body['code']], [403, 'APPROVAL_OWN_REQUEST'])
  assert.equal((await send(approve, { as: dave })).status, 200)

  const done = await refund('o-2', token)
  assert.deepEqual([done.status, done.body['approvedBy']], [201, 'dave'])
  assert.equal((await refund('o-2', token)).status, 403, 'one approval, one refund')
})

test('a rejected refund stays refused: forbidden', async () => {
  const asked = await refund('o-2')
  assert.equal((await send(`POST ${asked.headers.get('Location')}/reject`, { as: dave })).status, 200)
  const { status, body } = await refund('o-2', { 'X-Approval-Token': String(asked.body['approvalToken']) })
  assert.deepEqual([status, body['type'], body['code']], [403, 'forbidden', 'APPROVAL_INVALID'])
})

test('the same key twice is one refund', async () => {
  const key = { 'Idempotency-Key': 'refund-1' }
  assert.equal((await refund('o-1', key)).status, 201)
  const again = await refund('o-1', key)
  assert.deepEqual([again.status, again.headers.get('Idempotency-Replayed')], [201, 'true'])
})

test('an order that is not paid cannot be paid back: conflict', async () => {
  const { status, body } = await refund('o-3')
  assert.deepEqual([status, body['type'], body['code']], [409, 'conflict', 'NOT_PAID'])
})

test('a bank that does not answer is named: failed_dependency', async () => {
  const { status, body } = await refund('o-4')
  assert.deepEqual([status, body['type'], body['code']], [424, 'failed_dependency', 'BANK_UNAVAILABLE'])
})

test('an unknown order is not found: error', async () => {
  const { status, body } = await refund('o-5')
  assert.deepEqual([status, body['type'], body['code']], [404, 'error', 'NOT_FOUND'])
})
