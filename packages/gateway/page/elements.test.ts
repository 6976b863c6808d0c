import { expect, it } from 'vitest'
import { visibleText } from './elements.ts'

it('shows characters that hide or reorder a text as codes, and leaves other text alone', () => {
  expect(visibleText('DE\u202e21\u200b\u0007\u2066x\ufeff')).toBe(
    'DE\\u{202e}21\\u{200b}\\u{7}\\u{2066}x\\u{feff}',
  )
  // Joiners are part of emoji and of some scripts.
  for (const text of ['a\n\tb', 'é 😀 👩\u200d💻', 'שלום', '<b>&']) expect(visibleText(text)).toBe(text)
})
