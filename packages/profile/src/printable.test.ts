import { expect, test } from 'vitest'
import { printable, printableText } from './printable.ts'

const all = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code))

/** Whether a reader cannot see a character, or it moves others, by its Unicode properties. */
const isHidden = (character: string) =>
  ![' ', '\u00a0', '\u202f', '\u3000'].includes(character) &&
  /^[\p{C}\p{Z}\p{White_Space}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]$/u.test(character)

/** Characters that are drawn as nothing or as a blank, and that Unicode takes for letters, marks or symbols. */
const blanks = [...'\u2800\u2d7f\ufffc\u{1107f}\u{13441}\u{13442}\u{16fe4}\u{1d159}']

test('every invisible or direction-changing character is shown as its code', () => {
  const hidden = all.filter(isHidden)
  expect(hidden.length).toBeGreaterThan(100_000)
  expect(
    [...hidden, ...blanks].filter((character) => !/^\\u\{[0-9a-f]+\}$/.test(printable(character))),
  ).toEqual([])
  expect(printable('DE\u202e21\u200b\u0007\u2066x\ufeff\u2800')).toBe(
    'DE\\u{202e}21\\u{200b}\\u{7}\\u{2066}x\\u{feff}\\u{2800}',
  )
  // Joiners, selectors, fillers and tags can hide a text in another one.
  expect(printable('a\u200d\u200cb\ufe0f\u3164\u115f\u034f\u180e\u{e0041}\u{e0100}\ud800')).toBe(
    'a\\u{200d}\\u{200c}b\\u{fe0f}\\u{3164}\\u{115f}\\u{34f}\\u{180e}\\u{e0041}\\u{e0100}\\u{d800}',
  )
})

test('the blanks of French and Japanese texts stay, all others are shown as codes', () => {
  expect(printable('a b\u00a0c\u2009d\u3000e\u202ff\u200ag')).toBe(
    'a b\u00a0c\\u{2009}d\u3000e\u202ff\\u{200a}g',
  )
})

test('text that is seen stays as it is', () => {
  const seen = all.filter((character) => !isHidden(character) && !blanks.includes(character))
  expect(seen.length).toBeGreaterThan(150_000)
  expect(seen.filter((character) => printable(character) !== character)).toEqual([])
  for (const text of ['größe 🙂 日本', 'é e\u0301', 'שלום', '<b>&', 'a b']) expect(printable(text)).toBe(text)
})

test('several lines keep their breaks and tabs', () => {
  expect(printableText('a\tb\r\nc\nd\re\u2028f')).toBe('a\tb\nc\nd\\u{d}e\\u{2028}f')
})

test('the code has another form where the caller writes it', () => {
  expect(printable('a\u200b', (character) => `<${character.charCodeAt(0)}>`)).toBe('a<8203>')
})
