import { mayWithdraw, viewState, waitsFor } from '@agentic-rest/profile/approval'
import { expect, test } from 'vitest'
import { exampleApproval, NOW } from './example-approval.ts'

const person = (subject: string | undefined) => ({ subject })

test('an approval waits for those who did not ask for it and have not decided it', () => {
  const pending = exampleApproval({
    quorum: 2,
    decisions: [{ decidedBy: 'bob', verdict: 'approved', decidedAt: '' }],
  })
  expect(waitsFor(pending, person('dave'), NOW)).toBe(true)
  expect(waitsFor(pending, person('bob'), NOW)).toBe(false)
  expect(waitsFor(pending, person('alice'), NOW)).toBe(false)
})

test('a confirmation waits for the person, not for the agent between', () => {
  const members = { by: 'requester', role: '', requester: 'agent-a', requestedFor: 'alice' }
  const pending = exampleApproval(members)
  expect(waitsFor(pending, person('alice'), NOW)).toBe(true)
  expect(waitsFor(pending, person('agent-a'), NOW)).toBe(false)
  expect(waitsFor(exampleApproval({ ...members, requestedFor: '' }), person('agent-a'), NOW)).toBe(true)
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
})

test('an approval waits for nobody once it has expired', () => {
  const end = Date.parse('2026-05-04T14:04:00Z')
  expect(waitsFor(exampleApproval(), person('dave'), end - 1)).toBe(true)
  expect(waitsFor(exampleApproval(), person('dave'), end)).toBe(false)
})
