import { expect, test } from 'vitest'
import { readApproval } from './approval.ts'
import {
  decidedAt,
  decisionBody,
  describeNeeded,
  hasAsked,
  inputsByPlace,
  isOpen,
  ownerOf,
  requestLine,
  stateOf,
  timeLeft,
  whyNotDecide,
} from './rules.ts'

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

test('a pending approval expires between two looks', () => {
  const end = Date.parse('2026-05-04T14:04:00Z')
  const approval = pending({ expiresAt: '2026-05-04T14:04:00Z' })
  const lefts = [2 * 86_400_000, 7_440_000, 65_000, 1_000].map((ms) => timeLeft(approval, end - ms))
  expect(lefts).toEqual(['2 d left', '2 h 4 min left', '1 min 5 s left', '1 s left'])
  expect([stateOf(approval, end - 1), stateOf(approval, end)]).toEqual(['pending', 'expired'])
  expect(timeLeft(approval, end)).toBe('')
  expect(timeLeft(pending({ expiresAt: 'soon' }), end)).toBe('')
  expect(stateOf(pending({ expiresAt: 'soon' }), end)).toBe('pending')
  const states = ['pending', 'approved', 'used', 'rejected', 'withdrawn', 'expired']
  expect(states.filter(isOpen)).toEqual(['pending', 'approved'])
})

test.each([
  ['approved', 2, '2026-11-16T10:00:00.000Z'],
  ['used', 2, '2026-11-16T10:00:00.000Z'],
  ['rejected', 1, '2026-11-16T09:00:00.000Z'],
  ['pending', 1, ''],
  ['withdrawn', 1, ''],
  ['approved', 0, ''],
])('%s after %d decisions was decided at %j', (state, count, expected) => {
  const times = ['2026-11-16T09:00:00.000Z', '2026-11-16T10:00:00.000Z']
  const decisions = times.slice(0, count).map((time) => ({ decidedBy: time, decidedAt: time }))
  expect(decidedAt(pending({ state, decisions }))).toBe(expected)
})

test('inputs are listed by their place, without empty ones', () => {
  const placesOf = (inputs: object) => {
    const { request } = pending({ request: { method: 'GET', path: '/', inputs } })
    return request && inputsByPlace(request)
  }
  expect(placesOf({ body: { amount: 750 }, query: {} })).toEqual([['body', { amount: 750 }]])
  expect(placesOf({ body: [1], path: { id: '7' }, header: null })).toEqual([
    ['path', { id: '7' }],
    ['body', [1]],
  ])
})

test('a decision is bound to the digest that was shown', () => {
  expect(decisionBody(pending({ digest: 'd-1' }), ' fine ')).toEqual({ digest: 'd-1', comment: 'fine' })
  expect(decisionBody(pending(), ' ')).toEqual({})
})
