import { describe, expect, test } from 'vitest'
import { plainView } from './text-view.ts'
import { unescapedView } from './unescaped-view.ts'

describe('escapes are read', () => {
  test.each([
    ['\\u0040', '@'],
    ['\\\\u0040', '@'],
    ['\\\\\\\\u0040', '@'],
    ['\\x40', '@'],
    ['\\"\\/\\n', '"/\n'],
    ['\\ud83d\\ude00', '😀'],
    ['%40', '@'],
    ['%2540', '@'],
    ['%252540', '@'],
    ['%25', '%'],
    ['&#64;', '@'],
    ['&#064', '@'],
    ['&#x40;', '@'],
    ['&#X40;', '@'],
    ['\\u12', '\\u12'],
    ['\\u12 \\n', '\\u12 \n'],
    ['%4 %40', '%4 @'],
    ['%zz %40', '%zz @'],
    ['%ff %40', '%ff @'],
    ['&# &#; &#x; &#64;', '&# &#; &#x; @'],
    ['&#99999999; &#64;', '&#99999999; @'],
    ['&#1114112; &#64;', '&#1114112; @'],
    ['\\\\\\', '\\'],
    ['a%2', 'a%2'],
  ])('%j reads %j', (source, expected) => {
    expect((unescapedView(source) ?? plainView(source)).text).toBe(expected)
  })

  test.each(['plain', '100 %', 'a & b', 'C:', '50% off', '&amp;'])('%j has none', (source) => {
    expect(unescapedView(source)).toBeUndefined()
  })
})
