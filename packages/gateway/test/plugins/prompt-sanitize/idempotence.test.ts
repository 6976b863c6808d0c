import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSanitizer, everyDetector, type TestRule } from './sanitizing.ts'

const seed = Number(process.env['SEED'])

const ruleSets: Readonly<Record<string, readonly TestRule[]>> = {
  'every detector': everyDetector,
  'rules that match their placeholders': [
    ...everyDetector,
    { name: 'word', regex: '[A-Z]{4,}' },
    { name: 'bracket', regex: '\\][a-z]+' },
    { name: 'keyword', keywords: ['redacted', 'email', '[', 'a'] },
  ],
  'rules with anchors and wide patterns': [
    { name: 'start', regex: '^.' },
    { name: 'end', regex: '.$' },
    { name: 'pair', regex: '[^b]a' },
    { name: 'line', regex: '.*1.*' },
  ],
  'replacements of their own': [
    { name: 'email', builtin: 'email', replacement: '<mail>' },
    { name: 'digits', regex: '[0-9]{2,}', replacement: '#' },
    { name: 'mail', keywords: ['mail'], replacement: '***' },
  ],
}

const piece = fc.oneof(
  fc.constantFrom(
    'alice@example.com',
    '4111111111111111',
    '203.0.113.77',
    '123-45-6789',
    '[REDACTED:email]',
    '[REDACTED:',
    'email]',
    '\\u0040',
    '%40',
    '\u200b',
    'a',
    'ba',
    ' ',
    '"',
    '\\',
    '1',
    '@',
    '.co',
  ),
  fc.string({ maxLength: 4 }),
)
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
const json = fc.oneof(
  text.map((value) => JSON.stringify({ k: value, l: [value, 4111111111111111] })),
  fc.dictionary(text, text).map((value) => JSON.stringify(value)),
  fc.json(),
  text.map((value) => JSON.stringify([JSON.stringify({ [value]: value })])),
)

for (const [name, rules] of Object.entries(ruleSets)) {
  test(`sanitising twice is sanitising once: ${name} (seed ${seed})`, async () => {
    const sanitizer = createSanitizer(rules)
    let compared = 0
    const check = async (body: string, type: string) => {
      const once = await sanitizer.treat(body, { type })
      if (once.answer !== undefined) return
      const twice = await sanitizer.treat(once.forwarded, { type })
      expect({ ...twice, read: undefined }).toEqual({
        answer: undefined,
        forwarded: once.forwarded,
        replaced: 0,
        read: undefined,
      })
      compared++
    }
    await fc.assert(
      fc.asyncProperty(json, text, async (document, plain) => {
        await check(document, 'application/json')
        await check(plain, 'text/plain')
        await check(`a=${encodeURIComponent(plain)}&${plain}`, 'application/x-www-form-urlencoded')
      }),
      { seed, numRuns: 700 },
    )
    expect(compared).toBeGreaterThan(1500)
  })
}
