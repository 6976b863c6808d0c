import { expect, test } from 'vitest'
import { readPage } from './approval.ts'
import {
  describeNeeded,
  isOwn,
  mayWithdraw,
  stateOf,
  timeLeft,
  viewState,
  waitsFor,
  whyNotDecide,
} from './approval-rules.ts'
import { exampleApproval, NOW } from './example-approval.ts'

const person = (subject: string | undefined, issuer?: string) => ({ subject, issuer })

test('an approval waits for those who did not ask for it and have not decided it', () => {
  const pending = exampleApproval({
    quorum: 2,
    decisions: [{ decidedBy: 'bob', verdict: 'approved', decidedAt: '' }],
  })
  expect(waitsFor(pending, person('dave'), NOW)).toBe(true)
  expect(waitsFor(pending, person('bob'), NOW)).toBe(false)
  expect(whyNotDecide(pending, person('bob'))).toBe('You have decided it. Others have to decide too.')
  expect(waitsFor(pending, person('alice'), NOW)).toBe(false)
  expect(whyNotDecide(pending, person('alice'))).toBe(
    'You asked for it. Somebody else with the role finance decides it.',
  )
})

test('the person behind an agent does not decide either', () => {
  const pending = exampleApproval({ requester: 'agent-a', requestedFor: 'alice' })
  expect(whyNotDecide(pending, person('alice'))).toBe(
    'An agent asked for it on your behalf. Somebody else with the role finance decides it.',
  )
  expect(isOwn(pending, person('alice'))).toBe(true)
})

test('a confirmation waits for the person, not for the agent between', () => {
  const members = { by: 'requester', role: '', requester: 'agent-a', requestedFor: 'alice' }
  const pending = exampleApproval(members)
  expect(waitsFor(pending, person('alice'), NOW)).toBe(true)
  expect(waitsFor(pending, person('agent-a'), NOW)).toBe(false)
  expect(waitsFor(exampleApproval({ ...members, requestedFor: '' }), person('agent-a'), NOW)).toBe(true)
  expect(describeNeeded(pending)).toBe('A confirmation by the person who asked')
})

test('the same subject of another issuer is somebody else', () => {
  const pending = exampleApproval({ requesterIssuer: 'https://one' })
  expect(isOwn(pending, person('alice', 'https://one'))).toBe(true)
  expect(isOwn(pending, person('alice', 'https://two'))).toBe(false)
  expect(isOwn(pending, person('alice'))).toBe(true)
})

test('for an unknown owner every pending approval waits', () => {
  expect(waitsFor(exampleApproval(), person(undefined), NOW)).toBe(true)
  expect(mayWithdraw(exampleApproval(), person(undefined), NOW)).toBe(false)
})

test('the requester withdraws what is not used, rejected or over', () => {
  const may = (state: string, now = NOW) => mayWithdraw(exampleApproval({ state }), person('alice'), now)
  expect(['pending', 'approved', 'used', 'rejected', 'withdrawn'].filter((state) => may(state))).toEqual([
    'pending',
    'approved',
  ])
  expect(may('pending', NOW + 86_400_000)).toBe(false)
  expect(mayWithdraw(exampleApproval(), person('dave'), NOW)).toBe(false)
})

test('states have words, with the approvals so far', () => {
  const words = (members: object) => viewState(exampleApproval(members), NOW).words
  expect(words({})).toBe('waits for a decision')
  const decisions = [{ decidedBy: 'bob', verdict: 'approved' }]
  expect(words({ quorum: 2, decisions })).toBe('1 of 2 approvals')
  expect(words({ state: 'used', decisions })).toBe('approved and used')
  expect(words({ state: 'paused' })).toBe('paused')
  expect(describeNeeded(exampleApproval({ quorum: 2, decisions }))).toBe(
    '1 of 2 approvals by different people with the role finance',
  )
})

test('a pending approval expires between two looks', () => {
  const end = Date.parse('2026-05-04T14:04:00Z')
  expect(timeLeft(exampleApproval(), NOW)).toBe('2 h 4 min left')
  expect(stateOf(exampleApproval(), end)).toBe('expired')
  expect(timeLeft(exampleApproval(), end)).toBe('')
  expect(waitsFor(exampleApproval(), person('dave'), end)).toBe(false)
  expect(timeLeft(exampleApproval({ expiresAt: 'soon' }), NOW)).toBe('')
})

test('a page keeps known members only, and no token', () => {
  const page = readPage({
    approvals: [{ approvalId: 'a-1', approvalToken: 'secret', token: 'secret' }, null, { state: 'pending' }],
    next: 'c-2',
  })
  expect(page.approvals.map(({ approvalId }) => approvalId)).toEqual(['a-1'])
  expect(page.next).toBe('c-2')
  expect(JSON.stringify(page)).not.toContain('secret')
  expect(exampleApproval().request?.inputs).toEqual([['body', { amount: 750 }]])
  const inputs = { body: [1], path: { id: '7' }, header: null }
  const places = exampleApproval({ request: { method: 'GET', inputs } }).request?.inputs
  expect(places).toEqual([
    ['path', { id: '7' }],
    ['body', [1]],
  ])
  expect(exampleApproval({ request: null }).request).toBeUndefined()
})
