import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { send } from './send.ts'

const inBackground = { body: { title: 'All' }, headers: { Prefer: 'respond-async' } }

test('a report is made while the caller waits: created', async () => {
  const { status, body } = await send('POST /reports', { body: {} })
  assert.deepEqual([status, body['title'], body['orders'], body['total']], [201, 'Orders', 4, 430])
})

test('a report in the background is accepted and has a status: accepted', async () => {
  const { status, body } = await send('POST /reports', inBackground)
  assert.equal(status, 202)
  assert.match(String(body['statusUrl']), /^\/operations\/.+\/status$/)
  let polled = await send(`GET ${body['statusUrl']}`)
  while (polled.body['status'] === 'working') {
    await pause(50)
    polled = await send(`GET ${body['statusUrl']}`)
  }
  assert.deepEqual([polled.body['status'], polled.body['outcome']], ['completed', 'created'])
})

test('a report can be cancelled, once', async () => {
  const { body } = await send('POST /reports', inBackground)
  const cancel = `POST ${String(body['statusUrl']).replace(/status$/, 'cancel')}`
  const cancelled = await send(cancel)
  assert.deepEqual([cancelled.status, cancelled.body['status']], [200, 'cancelled'])
  const again = await send(cancel)
  assert.deepEqual(
    [again.status, again.body['type'], again.body['code']],
    [409, 'conflict', 'OPERATION_FINAL'],
  )
})
