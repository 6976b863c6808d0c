import { expect, test } from 'vitest'
import { printable, printableText } from './printable.ts'

/** Every code point whose character a reader cannot see, or that moves others, by its Unicode properties. */
const hidden = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code)).filter(
  (character) => /^[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]$/u.test(character),
)

test('every invisible or direction-changing character is shown as its code', () => {
  expect(hidden.length).toBeGreaterThan(100_000)
  expect(hidden.filter((character) => !/^\\u\{[0-9a-f]+\}$/.test(printable(character)))).toEqual([])
  expect(printable('DE\u202e21\u200b\u0007\u2066x\ufeff\u2800')).toBe(
    'DE\\u{202e}21\\u{200b}\\u{7}\\u{2066}x\\u{feff}\\u{2800}',
  )
  // Joiners, selectors, fillers and tags can hide a text in another one.
  expect(printable('a\u200d\u200cb\ufe0f\u3164\u115f\u034f\u180e\u{e0041}\u{e0100}\ud800')).toBe(
    'a\\u{200d}\\u{200c}b\\u{fe0f}\\u{3164}\\u{115f}\\u{34f}\\u{180e}\\u{e0041}\\u{e0100}\\u{d800}',
  )
})

test('text that is seen stays as it is', () => {
  for (const text of ['größe 🙂 日本', 'é e\u0301', 'שלום', '<b>&', 'a b\u00a0c'])
    expect(printable(text)).toBe(text)
})

test('several lines keep their breaks and tabs', () => {
  expect(printableText('a\tb\r\nc\nd\re\u2028f')).toBe('a\tb\nc\nd\\u{d}e\\u{2028}f')
})

test('the code has another form where the caller writes it', () => {
  expect(printable('a\u200b', (character) => `<${character.charCodeAt(0)}>`)).toBe('a<8203>')
})
