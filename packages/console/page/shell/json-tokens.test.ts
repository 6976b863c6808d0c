import { expect, test } from 'vitest'
import { tokenizeJson } from './json-tokens.ts'

const kinds = (json: string) =>
  tokenizeJson(json)
    .filter(({ kind }) => kind !== 'mark')
    .map(({ kind, text }) => [kind, text])

test('keys, texts, numbers and words are told apart', () => {
  expect(kinds('{\n  "a": "x: 1", "b": [-1.5e3, true, null], "c\\"d": "e"\n}')).toEqual([
    ['key', '"a"'],
    ['text', '"x: 1"'],
    ['key', '"b"'],
    ['number', '-1.5e3'],
    ['word', 'true'],
    ['word', 'null'],
    ['key', '"c\\"d"'],
    ['text', '"e"'],
  ])
})

test('joined, the tokens are the text, also of what is no JSON', () => {
  for (const text of [
    '',
    '{}',
    '"open',
    'null"1',
    '{"a":"<b>"}',
    JSON.stringify({ a: [1, 'é"\\', null] }, null, 2),
  ])
    expect(
      tokenizeJson(text)
        .map((token) => token.text)
        .join(''),
    ).toBe(text)
})
