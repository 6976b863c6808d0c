import { expect, test } from 'vitest'
import { exampleApproval } from '../inbox/example-approval.ts'
import { whoMayDecide } from './approvals.ts'

const people = [
  { sub: 'alice', tenant: 'acme', roles: ['campaign:optimize', 'campaign:approve'] },
  { sub: 'bob', tenant: 'acme', roles: [] },
  { sub: 'dave', tenant: 'acme', roles: ['campaign:approve'] },
  { sub: 'erin', tenant: 'acme', roles: ['campaign:approve'] },
  { sub: 'carol', tenant: 'globex', roles: ['campaign:approve'] },
]
const names = (more: Parameters<typeof exampleApproval>[0]) =>
  whoMayDecide(exampleApproval({ requester: 'alice', role: 'campaign:approve', ...more }), people).map(
    ({ sub }) => sub,
  )

test('somebody else of the tenant with the role may decide', () => {
  expect(names({})).toEqual(['dave', 'erin'])
})

test('whoever has decided leaves it to the next person', () => {
  const decisions = [{ decidedBy: 'dave', verdict: 'approved', decidedAt: '' }]
  expect(names({ quorum: 2, decisions })).toEqual(['erin'])
})

test('a confirmation is for the requester alone', () => {
  expect(names({ by: 'requester', role: '' })).toEqual(['alice'])
})

test('a requester that nobody knows leaves the tenant open', () => {
  expect(names({ requester: 'somebody' })).toEqual(['alice', 'dave', 'erin', 'carol'])
})

test('without a role anybody else of the tenant may try', () => {
  expect(names({ role: '' })).toEqual(['bob', 'dave', 'erin'])
})
