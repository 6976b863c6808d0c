import { expect, test } from 'vitest'
import { didYouMean, nearest } from './did-you-mean.ts'

test.each([
  ['pth', 'path'],
  ['prot', 'port'],
  ['Host', 'host'],
  ['execution_timeout_seconds', 'executionTimeoutSeconds'],
  ['executiontimeoutsecond', 'executionTimeoutSeconds'],
])('%s was meant to be %s', (word, meant) => {
  expect(nearest(word, ['host', 'port', 'path', 'executionTimeoutSeconds'])).toBe(meant)
})

test.each(['', 'x', 'zebra', 'gateway', 'p'.repeat(1000)])('%s is near nothing', (word) => {
  expect(nearest(word, ['host', 'port', 'path', 'a'])).toBeUndefined()
})

test('the nearest of several candidates wins', () => {
  expect(nearest('limis', ['limit', 'limits', 'list'])).toBe('limit')
  expect(nearest('limitss', ['limit', 'limits'])).toBe('limits')
})

test('the message ends without a suggestion when there is none', () => {
  expect(didYouMean('pth', ['path'])).toBe(', did you mean "path"?')
  expect(didYouMean('zebra', ['path'])).toBe('')
})
