import { describe, expect, test } from 'vitest'
import { canonicalJson, jsonDigest, objectAt, textAt } from './json-value.ts'

describe('canonicalJson', () => {
  test('members are sorted by code units at every level, lists keep their order', () => {
    expect(canonicalJson({ b: [2, { z: null, a: 'ä' }], a: true, B: 1.5 })).toBe(
      '{"B":1.5,"a":true,"b":[2,{"a":"ä","z":null}]}',
    )
  })

  test('the digest is the same for every order of members, and another for another value', () => {
    expect(jsonDigest({ a: 1, b: 2 })).toBe(jsonDigest({ b: 2, a: 1 }))
    expect(jsonDigest({ a: 1 })).not.toBe(jsonDigest({ a: '1' }))
  })

  test('members named like those of every object are kept', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1,"constructor":2}'))).toBe(
      '{"__proto__":1,"constructor":2}',
    )
  })
})

test('members are read only where they are own and of the wanted kind', () => {
  expect(objectAt({ a: { b: 1 } }, 'a')).toEqual({ b: 1 })
  expect(objectAt({ a: [1] }, 'a')).toEqual({})
  expect(objectAt({}, 'constructor')).toEqual({})
  expect(textAt({ a: 'x' }, 'a')).toBe('x')
  expect(textAt({ a: 1 }, 'a')).toBeUndefined()
})
