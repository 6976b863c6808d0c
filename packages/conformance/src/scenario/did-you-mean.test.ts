import { expect, test } from 'vitest'
import { didYouMean } from './did-you-mean.ts'

test.each([
  ['tokn', ['token', 'tokens'], 'token'],
  ['SUCCESS', ['success'], 'success'],
  ['alcie', ['bob', 'alice'], 'alice'],
  ['trace-presnt', ['trace-present', 'trace-request-id'], 'trace-present'],
])('%s is probably one of %j', (word, candidates, meant) => {
  expect(didYouMean(word, candidates)).toBe(`, did you mean "${meant}"?`)
})

test.each([
  ['colour', ['token', 'tenant']],
  ['a', ['b']],
  ['x'.repeat(100), ['x'.repeat(99)]],
  ['anything', []],
])('%s is none of %j', (word, candidates) => {
  expect(didYouMean(word, candidates)).toBe('')
})
