import { expect, test } from 'vitest'
import { exampleToken } from './example-approval.ts'
import { configuredOwnerOf } from './token-owner.ts'

const validator = (claims: object) => [
  {
    name: 'token-validator',
    configured: true,
    configuration: { issuers: [{ issuer: 'https://other' }, { issuer: 'https://staff', claims }] },
  },
]

test('the owner of a JWT is its subject', () => {
  expect(configuredOwnerOf(exampleToken({ sub: 'zoë', iss: 'https://staff' }), [])).toEqual({
    subject: 'zoë',
    issuer: 'https://staff',
  })
})

test('the claim is the one that the gateway uses for this issuer', () => {
  const token = exampleToken({ sub: '1', iss: 'https://staff', user: { name: 'dave' }, 'a.b': 'erin' })
  expect(configuredOwnerOf(token, validator({ subject: 'user.name' })).subject).toBe('dave')
  expect(configuredOwnerOf(token, validator({ subject: 'a.b' })).subject).toBe('erin')
  expect(configuredOwnerOf(token, validator({})).subject).toBe('1')
})
