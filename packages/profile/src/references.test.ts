import { expect, test } from 'vitest'
import { atFragment, followReferences, pointerStep } from './references.ts'

const document = { a: { 'b/c': [1, { '~': 2 }], 'd e': 3, '%zz': 4 } }

test('a fragment leads to a value by own members, with escapes of pointers and addresses', () => {
  const values = ['', '/a/b~1c/0', '/a/b~1c/1/~0', '/a/d%20e', '/a/%zz'].map((at) => atFragment(document, at))
  expect(values).toEqual([document, 1, 2, 3, 4])
  for (const at of ['/x', '/a/b~1c/9', '/a/toString', '/a/d%20e/x', '/__proto__'])
    expect(atFragment(document, at)).toBeUndefined()
  for (const name of ['b/c', '~', 'd e', '%'])
    expect(atFragment({ [name]: 1 }, encodeURIComponent(pointerStep(name)))).toBe(1)
})

test('references are followed to their end; circles and broken ones lead nowhere', () => {
  const targets = new Map<string, unknown>([
    ['#/one', { $ref: '#/two' }],
    ['#/two', { type: 'string' }],
    ['#/round', { $ref: '#/round' }],
    ['#/gone', { $ref: '#/nowhere' }],
  ])
  const follow = ($ref: unknown) => followReferences({ $ref }, (reference) => targets.get(reference))
  expect(follow('#/one')).toEqual({ type: 'string' })
  expect(follow('#/round')).toBeUndefined()
  expect(follow('#/gone')).toBeUndefined()
  expect(follow(7)).toEqual({ $ref: 7 })
  expect(followReferences(null, () => expect.fail())).toBeNull()
})
