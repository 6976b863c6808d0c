import { expect, test } from 'vitest'
import { readApproval } from './approval.ts'
import { readerOf, whyNotDecide } from './reader.ts'

function tokenOf(claims: object): string {
  const bytes = new TextEncoder().encode(JSON.stringify(claims))
  const text = btoa(String.fromCharCode(...bytes))
  return `x.${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}.y`
}

const reader = (subject: string, issuer = 'https://one') => ({ subject, issuer })
const approval = (members: object = {}) =>
  readApproval({
    state: 'pending',
    requester: 'alice',
    requesterIssuer: 'https://one',
    role: 'finance',
    ...members,
  })

test('the reader is the subject and issuer of a JWT; of another token nobody', () => {
  expect(readerOf(tokenOf({ sub: 'jürgen', iss: 'https://one' }))).toEqual(reader('jürgen'))
  for (const token of ['opaque', 'a.b.c', tokenOf({ sub: 7 }), '']) expect(readerOf(token)).toBeUndefined()
})

test('only those who may still decide have no reason against it', () => {
  expect(whyNotDecide(approval(), reader('dave'))).toBe('')
  expect(whyNotDecide(approval(), undefined)).toBe('')
  expect(whyNotDecide(approval(), reader('alice', 'https://two'))).toBe('')
  expect(whyNotDecide(approval(), reader('alice'))).toBe(
    'You are the requester. Somebody else with the role finance decides it.',
  )
  expect(whyNotDecide(approval({ requester: 'agent', requestedFor: 'alice' }), reader('alice'))).toBe(
    'An agent asked for it on your behalf. Somebody else with the role finance decides it.',
  )
  const decisions = [{ decidedBy: 'dave', verdict: 'approved' }]
  expect(whyNotDecide(approval({ quorum: 2, decisions }), reader('dave'))).toBe(
    'You have decided it. Others have to decide too.',
  )
  expect(whyNotDecide(approval({ quorum: 2, decisions }), reader('erin'))).toBe('')
})

test('a confirmation is for the person who asked', () => {
  const confirmation = { by: 'requester', role: '' }
  expect(whyNotDecide(approval(confirmation), reader('alice'))).toBe('')
  expect(whyNotDecide(approval(confirmation), reader('dave'))).toBe('Only the person who asked confirms it.')
  expect(whyNotDecide(approval({ ...confirmation, requestedFor: 'bob' }), reader('alice'))).toBe(
    'Only the person who asked confirms it.',
  )
})
