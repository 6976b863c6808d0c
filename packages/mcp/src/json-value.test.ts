import { expect, test } from 'vitest'
import { jsonDigest, objectAt, textAt } from './json-value.ts'

test('the digest is the same for every order of members, and another for another value', () => {
  expect(jsonDigest({ a: 1, b: 2 })).toBe(jsonDigest({ b: 2, a: 1 }))
  expect(jsonDigest({ a: 1 })).not.toBe(jsonDigest({ a: '1' }))
})

test('members are read only where they are own and of the wanted kind', () => {
  expect(objectAt({ a: { b: 1 } }, 'a')).toEqual({ b: 1 })
  expect(objectAt({ a: [1] }, 'a')).toEqual({})
  expect(objectAt({}, 'constructor')).toEqual({})
  expect(textAt({ a: 'x' }, 'a')).toBe('x')
  expect(textAt({ a: 1 }, 'a')).toBeUndefined()
})
