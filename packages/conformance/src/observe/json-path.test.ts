import { expect, test } from 'vitest'
import { valueAt } from './json-path.ts'

const value = { items: [{ id: 1 }, { id: 2, 'a-b': [['x']] }], length: 0 }

test.each([
  ['$', value],
  ['$.items[0].id', 1],
  ['$.items[-1].id', 2],
  ['$.items[1].a-b[0][0]', 'x'],
  ['$.length', 0],
  ['$.items.length', 2],
  ['$.items[9].id', undefined],
  ['$.constructor', undefined],
  ['$.__proto__', undefined],
  ['$.items[0].id.more', undefined],
])('%s is %j', (path, expected) => {
  expect(valueAt(value, path)).toEqual(expected)
})
