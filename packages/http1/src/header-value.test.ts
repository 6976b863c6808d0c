import { expect, it } from 'vitest'
import { hasTabBehind, isIdentity, joined, withoutBlanks } from './header-value.ts'

it.each([
  [undefined, true],
  ['', true],
  ['identity', true],
  [' Identity , ', true],
  ['gzip', false],
  ['identity, gzip', false],
  ['identityx', false],
])('Content-Encoding %j leaves the bytes as they are: %j', (encoding, expected) => {
  expect(isIdentity(encoding)).toBe(expected)
})

it.each([
  ['', ''],
  [' \t ', ''],
  [' a b\t', 'a b'],
  ['\u00a0a\v', '\u00a0a\v'],
])('%j is %j without the blanks around it', (text, value) => {
  expect(withoutBlanks(text)).toBe(value)
  expect(withoutBlanks(`x${text}x`, 1, text.length + 1)).toBe(value)
})

it.each([
  ['a', false],
  ['\ta ', false],
  ['a\t', true],
  ['a\t ', true],
  [' \t', true],
  ['', false],
])('%j has a tab behind it: %j', (text, has) => {
  expect(hasTabBehind(text, text.length)).toBe(has)
  expect(hasTabBehind(`:${text}\t`, text.length + 1)).toBe(has)
})

it('joins repeated values, also empty ones', () => {
  expect(joined(undefined, 'a')).toBe('a')
  expect(joined('a', 'b')).toBe('a, b')
  expect(joined('', '')).toBe(', ')
})
