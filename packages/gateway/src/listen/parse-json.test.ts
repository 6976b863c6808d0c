import { beforeAll, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

// V8 remembers the names of this object and takes an escaped name of another one for them.
beforeAll(() => void JSON.parse('{"a":1,"\\\\":2}'))

it.each([
  ['{"a":1,"\\u0062":2}', { a: 1, b: 2 }],
  ['{"a":1,"\\u0063":2}', { a: 1, c: 2 }],
  ['{"a":1,"\\u00e4bc" : {"\\u0061":"\\\\"}}', { a: 1, äbc: { a: '\\' } }],
  ['["\\"a\\":", {"x":"\\u0061"}]', ['"a":', { x: 'a' }]],
])('%s has the names that it says', (json, value) => {
  expect(parseJson(json)).toEqual(value)
})

it.each(['{"\\\\":1}', '{"\\"":1}', '{"\\u0000":1}', '{"\\ud800":1}'])('%s is refused', (json) => {
  expect(() => parseJson(json)).toThrow(SyntaxError)
})

it.each(['', '{', '{"a":\\u0031}', '"\\x"', '{"\\x":1}'])('%s is no JSON', (json) => {
  expect(() => parseJson(json)).toThrow(SyntaxError)
})
