import { expect, it } from 'vitest'
import { isOwner, keptPrincipal, maybeSame } from './principal.ts'

const one = { subject: 'alice', issuer: 'https://one.example' }
const two = { subject: 'alice', issuer: 'https://two.example' }
const bob = { subject: 'bob', issuer: 'https://one.example' }
const old = keptPrincipal('alice', null)

it.each([
  ['the same caller', one, one, true],
  ['the same subject of another issuer', one, two, false],
  ['another subject of the same issuer', one, bob, false],
  ['a caller without an issuer, where one is kept', one, { subject: 'alice' }, false],
  ['any issuer, where none is kept', old, two, true],
  ['no issuer, where none is kept', old, { subject: 'alice' }, true],
  ['another subject, where no issuer is kept', old, bob, false],
])('%s: an owner %#', (_title, kept, caller, expected) => {
  expect(isOwner(kept, caller)).toBe(expected)
})

it.each([
  [one, one, true],
  [one, two, false],
  [one, bob, false],
  [one, old, true],
  [old, one, true],
  [old, bob, false],
])('%j and %j may be one person: %s', (left, right, expected) => {
  expect(maybeSame(left, right)).toBe(expected)
})
