import { expect, test } from 'vitest'
import { mapOf } from './openapi.ts'
import { planOperations } from './plan-operations.ts'

function plan(paths: object) {
  return planOperations({ document: { paths }, follow: mapOf })
}

const header = (name: string) => ({ name, in: 'header', schema: { type: 'string' } })

test('x-agentic carries async, idempotent and the role of approval', () => {
  const { operations } = plan({
    '/a': { post: { 'x-agentic': { async: true, idempotent: true, approval: { role: 'manager' } } } },
    '/b': { post: { 'x-agentic': { async: 'yes', approval: true } } },
    '/c': { post: {} },
  })
  expect(
    operations.map(({ async: canWait, idempotent, approvalRole }) => [canWait, idempotent, approvalRole]),
  ).toEqual([
    [true, true, 'manager'],
    [false, false, undefined],
    [false, false, undefined],
  ])
})

test('headers of the gateway, the SDK and HTTP are no inputs', () => {
  const owned = [
    ...['X-Tenant-ID', 'x-correlation-id', 'X-Request-ID', 'Idempotency-Key', 'X-Approval-Token', 'Prefer'],
    ...['X-Actor-Subject', 'x-actor-anything', 'Authorization', 'Accept', 'Content-Type', 'traceparent'],
  ]
  const { operations } = plan({ '/a': { get: { parameters: [...owned, 'X-Region'].map(header) } } })
  expect(operations[0]?.inputs.map(({ name }) => name)).toEqual(['X-Region'])
})

test('operations of the SDK are left out', () => {
  const { operations, notes } = plan({
    '/a': { post: { 'x-agentic': { async: true } } },
    '/operations/{operationId}/status': { get: { operationId: 'agentic.operation-status' } },
    '/operations/{operationId}/cancel': { post: { operationId: 'agentic.cancel-operation' } },
  })
  expect([operations.map(({ path }) => path), notes]).toEqual([['/a'], []])
})

test('a path that the SDK needs for itself is left out with a note, any other stays', () => {
  const { operations, notes } = plan({
    '/a': { post: { 'x-agentic': { async: true } } },
    '/operations/{id}/status': { get: {} },
    '/approvals/{id}': { get: {} },
  })
  expect(operations.map(({ path }) => path)).toEqual(['/a', '/approvals/{id}'])
  expect(notes).toEqual(['GET "/operations/{id}/status" is left out: the SDK answers it itself'])
})

test('the ids of routes for the SDK stay free', () => {
  const { operations } = plan({ '/a': { post: { operationId: 'approve' } } })
  expect(operations[0]?.id).toBe('approve-2')
})
