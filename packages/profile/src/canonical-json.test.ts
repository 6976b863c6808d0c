import { expect, test } from 'vitest'
import { canonicalJson } from './canonical-json.ts'

test('members are sorted by code units at every level, lists keep their order', () => {
  expect(canonicalJson({ b: [2, 1, { z: null, a: 'ä' }], a: true, B: 1.5, c: undefined })).toBe(
    '{"B":1.5,"a":true,"b":[2,1,{"a":"ä","z":null}]}',
  )
  expect([null, 'a', 1, undefined].map(canonicalJson)).toEqual(['null', '"a"', '1', 'null'])
})

test('equal values have equal texts, whatever the order of their members', () => {
  expect(canonicalJson({ 10: 1, 9: 2, a: 3 })).toBe(canonicalJson({ a: 3, 9: 2, 10: 1 }))
})

test('members named like those of every object are kept', () => {
  expect(canonicalJson(JSON.parse('{"__proto__":1,"constructor":2}'))).toBe('{"__proto__":1,"constructor":2}')
})
