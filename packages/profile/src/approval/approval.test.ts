import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import {
  approvalSchema,
  isApproval,
  readApproval,
  readApprovalPage,
  type WrittenApproval,
} from './approval.ts'

const written: WrittenApproval = {
  approvalId: 'a-1',
  state: 'pending',
  operation: 'create-payment',
  message: 'Pay 750?',
  role: 'finance',
  requester: 'alice',
  request: { method: 'POST', path: '/payments', inputs: { body: { amount: 750 } }, truncated: true },
  digest: 'd-1',
  quorum: 2,
  decisions: [{ decidedBy: 'bob', verdict: 'approved' }],
  via: ['alice called plan'],
  createdAt: '2026-05-04T11:00:00Z',
  expiresAt: '2026-05-04T14:04:00Z',
}

const empty = {
  approver: null,
  by: '',
  requesterIssuer: '',
  requestedFor: '',
  requestedForIssuer: '',
  correlationId: '',
  decidedBy: '',
  decidedByIssuer: '',
  decidedAt: '',
}

test('a reader has every member; absent ones are empty', () => {
  const decision = { decidedBy: 'bob', decidedByIssuer: '', verdict: 'approved', comment: '', decidedAt: '' }
  expect(readApproval(written)).toEqual({ ...written, ...empty, decisions: [decision] })
})

test('an older service shows less', () => {
  const { request, digest, quorum, decisions, ...older } = written
  expect(readApproval(older)).toEqual({
    ...older,
    ...empty,
    request: null,
    digest: '',
    quorum: 1,
    decisions: [],
  })
})

test('whatever a service answers is read without a fault, and is then no approval', () => {
  for (const body of [undefined, null, 7, 'text', [], {}, { approvalId: 1, state: [] }, { state: 'pending' }])
    expect(isApproval(readApproval(body))).toBe(false)
  const odd = { approvalId: 'a-1', state: 'paused', quorum: 0, decisions: [null], via: [7], request: [] }
  expect(readApproval(odd)).toMatchObject({ state: 'paused', quorum: 1, via: [''], request: null })
})

test('a page has approvals only, with known members only', () => {
  const approvals = [{ ...written, approvalToken: 'secret', token: 'secret' }, null, { state: 'pending' }]
  const page = readApprovalPage({ approvals, next: 'c-2' })
  expect(page?.approvals.map(({ approvalId }) => approvalId)).toEqual(['a-1'])
  expect(page?.next).toBe('c-2')
  expect(JSON.stringify(page)).not.toContain('secret')
  expect(readApprovalPage({ approvals: [] })).toEqual({ approvals: [], next: undefined })
  for (const body of [undefined, [], { approvals: {} }]) expect(readApprovalPage(body)).toBeUndefined()
})

test('the schema accepts what the type allows, and refuses a missing member', () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile({ ...approvalSchema })
  expect(validate(written)).toBe(true)
  expect(validate({ ...written, by: 'requester', request: null })).toBe(true)
  const { digest, ...less } = written
  expect(validate(less)).toBe(false)
  expect(validate({ ...written, state: 'paused' })).toBe(false)
})
