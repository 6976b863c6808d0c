import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodedViews } from './decoded-views.ts'
import { createViewReader, rememberChanges } from './readable-view.ts'
import { plainView, sourceSpan } from './text-view.ts'

const read = createViewReader()

describe('look-alikes become plain and hidden characters go', () => {
  test.each([
    ['ＡＢＣ　１２３', 'ABC 123'],
    ['a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg', 'abcdefg'],
    ['\u202eabc\u202c', 'abc'],
    ['a\u0000b\u007fc', 'abc'],
    ['a\tb\nc\rd', 'a\tb\nc\rd'],
    ['a\u2028b\u2029c\u0085d', 'a\nb\nc\nd'],
    ['٣٤٥ ۳۴۵ ३४५ 𝟑𝟒𝟓 ③④⑤ ³⁴⁵', '345 345 345 345 345 345'],
    ['a‐b‑c‒d–e—f−g', 'a-b-c-d-e-f-g'],
    ['a\u00a0b\u2009c\u202fd\u2800e', 'a b c d e'],
    ['a。b․c', 'a.b.c'],
    ['ﬁ ⑿ ㏂', 'fi (12) a.m.'],
    ['e\u0301', 'é'],
    ['e\u200b\u0301', 'é'],
    ['a\u0337\u0338b', 'ab'],
    ['4\ufe0f\u20e3', '4'],
    ['\u1112\u1161\u11ab', '한'],
    ['\ufdfa', '\ufdfa'],
    ['😀👨‍👩‍👧', '😀👨👩👧'],
    ['\ud800x\udc00', '\ud800x\udc00'],
    ['\u{e0041}x', 'x'],
    ['か\u3099', 'が'],
  ])('%j reads %j', (source, expected) => {
    expect(read(plainView(source)).text).toBe(expected)
  })

  test('a plain text is its own view', () => {
    const view = plainView('plain text, 100 % ASCII\r\n')
    expect(read(view)).toBe(view)
  })

  test('digits of every script have their value', () => {
    const scripts = [
      0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0x1040, 0x17e0, 0xff10, 0x1d7ce, 0x1d7f6, 0x1e950,
    ]
    for (const zero of scripts) {
      const digits = Array.from({ length: 10 }, (_, n) => String.fromCodePoint(zero + n)).join('')
      expect(read(plainView(digits)).text).toBe('0123456789')
    }
  })
})

describe('a place in a view is found again in the source', () => {
  test.each([
    ['a\u200b１x', '1', '１'],
    ['x e\u0301 y', 'é', 'e\u0301'],
    ['(ﬁ)', 'f', 'ﬁ'],
    ['4\ufe0f\u20e35', '4', '4\ufe0f\u20e3'],
    ['𝟑', '3', '𝟑'],
  ])('in %j, %j stands for %j', (source, part, expected) => {
    const view = read(plainView(source))
    const start = view.text.indexOf(part)
    const span = sourceSpan(view, { start, end: start + part.length })
    expect(source.slice(span.start, span.end)).toBe(expected)
  })

  const seed = Number(process.env['SEED'])
  test(`places are in order and within the source, for any text (seed ${seed})`, () => {
    const character = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.constantFrom(
        '\\u0040',
        '\\\\n',
        '%41',
        '%2541',
        '&#65;',
        '\u200b',
        '１',
        'ﬁ',
        '\u0301',
        '\\',
        '%',
        '\u{e0041}',
        '\u3164',
      ),
    )
    fc.assert(
      fc.property(fc.array(character, { maxLength: 40 }), (characters) => {
        const source = characters.join('')
        for (const view of [plainView(source), ...decodedViews(plainView(source), false)]) {
          expectOrderedPlaces(read(view), source.length)
        }
      }),
      { seed, numRuns: 3000 },
    )
  })

  function expectOrderedPlaces(view: ReturnType<typeof read>, length: number): void {
    let before = { start: 0, end: 0 }
    for (let index = 0; index < view.text.length; index++) {
      const place = sourceSpan(view, { start: index, end: index + 1 })
      expect(place.start).toBeGreaterThanOrEqual(before.start)
      expect(place.end).toBeGreaterThan(place.start)
      expect(place.end).toBeLessThanOrEqual(length)
      before = place
    }
  }
})

test('every character is asked for once, whether it changes or not', () => {
  const asked: number[] = []
  const change = rememberChanges((codePoint) => {
    asked.push(codePoint)
    return codePoint === 0x41 ? 'a' : undefined
  })
  const answers = [0x41, 0x42, 0x41, 0x42, 0x10ffff, 0x10ffff, 0].map(change)
  expect(answers).toEqual(['a', undefined, 'a', undefined, undefined, undefined, undefined])
  expect(asked).toEqual([0x41, 0x42, 0x10ffff, 0])
})
