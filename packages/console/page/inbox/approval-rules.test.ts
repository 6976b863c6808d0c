import { expect, test } from 'vitest'
import {
  decidedAt,
  inputsByPlace,
  mayWithdraw,
  stateOf,
  timeLeft,
  viewState,
  waitsFor,
} from './approval-rules.ts'
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
  expect(decidedAt(exampleApproval({ state, decisions }))).toBe(expected)
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

test('a pending approval expires between two looks', () => {
  const end = Date.parse('2026-05-04T14:04:00Z')
  expect(timeLeft(exampleApproval(), NOW)).toBe('2 h 4 min left')
  expect(stateOf(exampleApproval(), end)).toBe('expired')
  expect(timeLeft(exampleApproval(), end)).toBe('')
  expect(waitsFor(exampleApproval(), person('dave'), end)).toBe(false)
  expect(timeLeft(exampleApproval({ expiresAt: 'soon' }), NOW)).toBe('')
})

test('inputs are listed by their place, without empty ones', () => {
  const placesOf = (inputs: object) => {
    const { request } = exampleApproval({ request: { method: 'GET', path: '/', inputs } })
    return request && inputsByPlace(request)
  }
  expect(placesOf({ body: { amount: 750 }, query: {} })).toEqual([['body', { amount: 750 }]])
  expect(placesOf({ body: [1], path: { id: '7' }, header: null })).toEqual([
    ['path', { id: '7' }],
    ['body', [1]],
  ])
})
