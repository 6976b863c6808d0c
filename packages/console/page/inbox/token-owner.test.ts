import { expect, test } from 'vitest'
import { exampleToken } from './example-approval.ts'
import { ownerOf } from './token-owner.ts'

const validator = (claims: object) => [
  {
    name: 'token-validator',
    configured: true,
    configuration: { issuers: [{ issuer: 'https://other' }, { issuer: 'https://staff', claims }] },
  },
]

test('the owner of a JWT is its subject', () => {
  expect(ownerOf(exampleToken({ sub: 'zoë', iss: 'https://staff' }), [])).toEqual({
    subject: 'zoë',
    issuer: 'https://staff',
  })
})

test('the claim is the one that the gateway uses for this issuer', () => {
  const token = exampleToken({ sub: '1', iss: 'https://staff', user: { name: 'dave' }, 'a.b': 'erin' })
  expect(ownerOf(token, validator({ subject: 'user.name' })).subject).toBe('dave')
  expect(ownerOf(token, validator({ subject: 'a.b' })).subject).toBe('erin')
  expect(ownerOf(token, validator({})).subject).toBe('1')
})

test('an opaque token does not tell its owner', () => {
  for (const token of ['opaque', 'a.b.c', exampleToken([]), exampleToken({ sub: 7 })])
    expect(ownerOf(token, []).subject).toBeUndefined()
})
