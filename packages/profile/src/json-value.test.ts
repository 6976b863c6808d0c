import { expect, test } from 'vitest'
import { elementsOf, isObject, membersOf } from './json-value.ts'

test('members are those of an object, elements those of a list; other values have none', () => {
  expect([{}, { a: 1 }, [], null, 'x', 1, undefined].map(isObject)).toEqual([
    true,
    true,
    ...Array.from({ length: 5 }, () => false),
  ])
  expect([{ a: 1 }, [1], null, 'x'].map(membersOf)).toEqual([{ a: 1 }, {}, {}, {}])
  expect([{ a: 1 }, [1], null, 'x'].map(elementsOf)).toEqual([[], [1], [], []])
})
