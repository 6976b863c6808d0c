import { expect, test } from 'vitest'
import { failureReason } from './redis-client.ts'

const coded = (message: string, code: string) => Object.assign(new Error(message), { code })

test.each([
  [coded('connect ECONNREFUSED 10.0.0.7:6379', 'ECONNREFUSED'), 'ECONNREFUSED'],
  [coded('getaddrinfo ENOTFOUND redis.example.test', 'ENOTFOUND'), 'ENOTFOUND'],
  [new Error('WRONGPASS invalid username-password pair or user is disabled.'), 'WRONGPASS'],
  [
    new Error('READONLY You cannot write against a read only replica. script: 0f, on @user_script:5.'),
    'READONLY',
  ],
  [new TypeError('Invalid URL redis://user:password@host'), 'TypeError'],
  [new Error('redis://user:password@host'), 'Error'],
  ['redis://user:password@host', 'UNKNOWN'],
])('%s is reported as one word', (error, reason) => {
  expect(failureReason(error)).toBe(reason)
})
