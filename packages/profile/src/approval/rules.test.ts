import { expect, test } from 'vitest'
import { readApproval } from './approval.ts'
import { describeNeeded, hasAsked, ownerOf, requestLine, whyNotDecide } from './rules.ts'

function tokenOf(claims: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(claims))
  const text = btoa(String.fromCharCode(...bytes))
  return `x.${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.y`
}

const owner = (subject: string, issuer = 'https://one') => ({ subject, issuer })
const pending = (members: object = {}) =>
  readApproval({
    approvalId: 'a-1',
    state: 'pending',
    requester: 'alice',
    requesterIssuer: 'https://one',
    role: 'finance',
    ...members,
  })

test('the owner of a JWT is its subject and issuer; of another token nobody', () => {
  expect(ownerOf(tokenOf({ sub: 'jürgen', iss: 'https://one' }))).toEqual(owner('jürgen'))
  const claims = { sub: '1', user: { name: 'dave' }, 'a.b': 'erin' }
  expect(ownerOf(tokenOf(claims), 'user.name').subject).toBe('dave')
  expect(ownerOf(tokenOf(claims), 'a.b').subject).toBe('erin')
  for (const token of ['opaque', 'a.b.c', tokenOf({ sub: 7 }), tokenOf([]), ''])
    expect(ownerOf(token).subject).toBeUndefined()
})

test('only those who may still decide have no reason against it', () => {
  expect(whyNotDecide(pending(), owner('dave'))).toBe('')
  expect(whyNotDecide(pending(), {})).toBe('')
  expect(whyNotDecide(pending(), owner('alice', 'https://two'))).toBe('')
  expect(whyNotDecide(pending(), owner('alice'))).toBe(
    'You are the requester. Somebody else with the role finance decides it.',
  )
  expect(whyNotDecide(pending({ role: '' }), owner('alice'))).toBe(
    'You are the requester. Somebody else decides it.',
  )
  expect(whyNotDecide(pending({ requester: 'agent', requestedFor: 'alice' }), owner('alice'))).toBe(
    'An agent asked for it on your behalf. Somebody else with the role finance decides it.',
  )
  const decisions = [{ decidedBy: 'dave', verdict: 'approved' }]
  expect(whyNotDecide(pending({ quorum: 2, decisions }), owner('dave'))).toBe(
    'You have decided it. Others have to decide too.',
  )
  expect(whyNotDecide(pending({ quorum: 2, decisions }), owner('erin'))).toBe('')
})

test('a confirmation is for the person who asked, not for the agent between', () => {
  const confirmation = { by: 'requester', role: '' }
  expect(whyNotDecide(pending(confirmation), owner('alice'))).toBe('')
  expect(whyNotDecide(pending(confirmation), {})).toBe('')
  expect(whyNotDecide(pending(confirmation), owner('dave'))).toBe('Only the person who asked confirms it.')
  expect(whyNotDecide(pending({ ...confirmation, requestedFor: 'bob' }), owner('alice'))).toBe(
    'Only the person who asked confirms it.',
  )
  expect(describeNeeded(pending(confirmation))).toBe('A confirmation by the person who asked')
})

test('the same subject of another issuer is somebody else; unknown issuers do not count', () => {
  expect(hasAsked(pending(), owner('alice'))).toBe(true)
  expect(hasAsked(pending(), owner('alice', 'https://two'))).toBe(false)
  expect(hasAsked(pending(), { subject: 'alice' })).toBe(true)
  expect(hasAsked(pending({ requesterIssuer: '' }), owner('alice', 'https://two'))).toBe(true)
  expect(hasAsked(pending({ requester: 'agent', requestedFor: 'alice' }), owner('alice'))).toBe(true)
})

test('the needed approvals are counted', () => {
  const decisions = [{ decidedBy: 'bob', verdict: 'approved' }, { verdict: 'rejected' }]
  expect(describeNeeded(pending())).toBe('One approval by somebody else with the role finance')
  expect(describeNeeded(pending({ quorum: 2, decisions, role: '' }))).toBe(
    '1 of 2 approvals by different people',
  )
})

test('the line of a request is empty if the service does not show it', () => {
  expect(requestLine(null)).toBe('')
  expect(requestLine(pending({ request: {} }).request)).toBe('')
  expect(requestLine(pending({ request: { method: 'POST', path: '/payments', inputs: {} } }).request)).toBe(
    'POST /payments',
  )
})
