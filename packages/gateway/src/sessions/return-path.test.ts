import { expect, test } from 'vitest'
import { returnPath } from './return-path.ts'

const origin = 'https://agents.example'

test.each([
  ['/approvals/a-1', '/approvals/a-1'],
  ['/', '/'],
  ['/approvals?list=decided', '/approvals?list=decided'],
  ['/#/inbox?list=asked', '/#/inbox?list=asked'],
  ['/a/../approvals', '/approvals'],
])('%s is a path of this origin', (wish, path) => {
  expect(returnPath(wish, origin)).toBe(path)
})

test.each([
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/\t/evil.example',
  '/a/..//evil.example',
  '/%09/\nevil.example',
  'javascript:alert(1)',
  'approvals',
  '',
  ' /approvals',
  `/${'a'.repeat(2_000)}`,
])('%j leads nowhere', (wish) => {
  expect(returnPath(wish, origin)).toBeUndefined()
})

test('no wish is none', () => {
  expect(returnPath(null, origin)).toBeUndefined()
})
