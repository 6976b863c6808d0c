import { describe, expect, test } from 'vitest'
import { decodedViews } from './decoded-views.ts'
import { plainView, sourceSpan } from './text-view.ts'

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
    expect((decodedViews(plainView(source), true)[0] ?? plainView(source)).text).toBe(expected)
  })

  test.each(['plain', '100 %', 'a & b', 'C:', '50% off', '&amp;'])('%j has none', (source) => {
    expect(decodedViews(plainView(source), true)).toEqual([])
  })
})

describe('tag characters and fillers are read', () => {
  const tags = (text: string) =>
    Array.from(text, (character) => String.fromCodePoint(0xe0000 + character.charCodeAt(0))).join('')

  test.each([
    [`a${tags(' !~')}b`, ['a !~b']],
    [tags('bob%40x'), ['bob%40x', 'bob@x']],
    [`${tags('a')}%41`, [`${tags('a')}A`, 'aA']],
    ['%41 &#x3164;', ['A \u3164', 'A  ']],
    ['a\u3164b\u115fc\u1160d\uffa0e', ['a b c d e']],
    // The language tag, the tag that ends a flag, and other characters of that plane stay.
    ['\u{e0001}\u{e001f}\u{e007f}\u{e0100}é', []],
    ['\udb40x\udc41', []],
  ])('%j reads %j', (source, expected) => {
    expect(decodedViews(plainView(source), false).map(({ text }) => text)).toEqual(expected)
  })

  test('a place is that of the tag', () => {
    const [view] = decodedViews(plainView(`x${tags('ab')}`), false)
    expect(view && sourceSpan(view, { start: 1, end: 2 })).toEqual({ start: 1, end: 3 })
    expect(view && sourceSpan(view, { start: 2, end: 3 })).toEqual({ start: 3, end: 5 })
  })

  test('a plain text is not searched for them', () => {
    expect(decodedViews(plainView('\u3164'), true)).toEqual([])
  })
})
