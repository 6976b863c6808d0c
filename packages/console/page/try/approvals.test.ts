import { expect, test } from 'vitest'
import { whoMayDecide } from './approvals.ts'

const people = [
  { sub: 'alice', tenant: 'acme', roles: ['campaign:optimize', 'campaign:approve'] },
  { sub: 'bob', tenant: 'acme', roles: [] },
  { sub: 'dave', tenant: 'acme', roles: ['campaign:approve'] },
  { sub: 'carol', tenant: 'globex', roles: ['campaign:approve'] },
]
const view = { state: 'pending', requester: 'alice', role: 'campaign:approve', approver: '', expiresAt: '' }
const names = (more: Partial<typeof view>) => whoMayDecide({ ...view, ...more }, people).map(({ sub }) => sub)

test('somebody else of the tenant with the role may decide', () => {
  expect(names({})).toEqual(['dave'])
})

test('a requester that nobody knows leaves the tenant open', () => {
  expect(names({ requester: 'somebody' })).toEqual(['alice', 'dave', 'carol'])
})

test('without a role anybody else of the tenant may try', () => {
  expect(names({ role: '' })).toEqual(['bob', 'dave'])
})
