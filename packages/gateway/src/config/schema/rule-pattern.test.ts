import { expect, test } from 'vitest'
import { patternFault } from './rule-pattern.ts'

test.each([
  ['(?=secret)', 'invalid or unsupported Perl syntax'],
  ['(secret)\\1', 'invalid escape sequence'],
  ['secret{1,5000}', 'invalid repeat count'],
  ['(secret', 'missing closing )'],
])('the fault of %s is told without the pattern', (pattern, fault) => {
  expect(patternFault(pattern)).toBe(fault)
})

test('a pattern that can be used has no fault', () => {
  expect(patternFault('TCK-[0-9]{6}')).toBeUndefined()
})
