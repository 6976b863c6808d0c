import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSanitizer, everyDetector, type TestRule } from './sanitizing.ts'

const seed = Date.now() & 0x7fffffff

const rules: readonly TestRule[] = [
  ...everyDetector,
  { name: 'jailbreak', keywords: ['ignore previous instructions', 'Straße'] },
  { name: 'ticket', regex: 'TCK-[0-9]{6}', replacement: '[ticket]' },
]

// One value per rule. The letters of the safe text below occur in none of them in this order.
const plants = [
  'mallory@evil.example',
  '+1 212 555 0100',
  '4111111111111111',
  'DE89370400440532013000',
  '123-45-6789',
  '203.0.113.77',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
  'AKIAIOSFODNN7EXAMPLE',
  'ignore previous instructions',
  'STRASSE',
  'TCK-123456',
] as const

const INVISIBLE = ['\u200b', '\u200c', '\u200d', '\u2060', '\ufeff', '\u00ad', '\u0000', '\u034f', '\u0332']

/** Ways in which a value is written so that a plain search would not find it. */
const disguises: Readonly<Record<string, (value: string, at: number) => string>> = {
  plain: (value) => value,
  'zero-width at one split': (value, at) => split(value, at, INVISIBLE[at % INVISIBLE.length] ?? ''),
  'zero-width everywhere': (value, at) => value.split('').join(INVISIBLE[at % INVISIBLE.length]),
  'full width': (value) =>
    value.replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  'full width from one split on': (value, at) =>
    value.slice(0, at) +
    value.slice(at).replaceAll(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)),
  'one character as a JSON escape': (value, at) =>
    value.slice(0, at) + unicodeEscape(value.charAt(at)) + value.slice(at + 1),
  'JSON escapes throughout': (value) => value.split('').map(unicodeEscape).join(''),
  'percent escapes throughout': (value) =>
    value.replaceAll(/[\s\S]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`),
  'HTML references': (value) => value.replaceAll(/[^A-Za-z0-9]/g, (sign) => `&#${sign.charCodeAt(0)};`),
}

function split(value: string, at: number, by: string): string {
  return value.slice(0, at) + by + value.slice(at)
}

function unicodeEscape(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Text that no rule finds anything in; it never touches a planted value. */
const safeText = fc.stringMatching(/^[ghjkqwz éß😀"\\\n/{}[\]:,]{0,12}$/u)
const safeNumber = fc.constantFrom(
  '0',
  '-1',
  '1.0',
  '12345678901234567890',
  '1e3',
  '0.4532015112830366',
  '-0.5E-7',
)

const planted = fc
  .record({
    value: fc.constantFrom(...plants),
    disguise: fc.constantFrom(...Object.keys(disguises)),
    at: fc.nat(),
    before: safeText,
    after: safeText,
  })
  .map(({ value, disguise, at, before, after }) => {
    const write = disguises[disguise] ?? ((text: string) => text)
    return `${before} ${write(value, 1 + (at % (value.length - 1)))} ${after}`
  })

/** A document as text, and the same with every planted place marked, whatever it is replaced by. */
interface Planted {
  readonly text: string
  readonly shape: unknown
}

const PLANTED = Symbol('planted')
const leaf: fc.Arbitrary<Planted> = fc.oneof(
  safeText.map((text) => ({ text: JSON.stringify(text), shape: JSON.stringify(text) })),
  safeNumber.map((text) => ({ text, shape: text })),
  fc.constantFrom('true', 'false', 'null').map((text) => ({ text, shape: text })),
  planted.map((text) => ({ text: JSON.stringify(text), shape: PLANTED })),
  planted.map((text) => ({ text: escapedString(text), shape: PLANTED })),
  planted.map((text) => ({ text: JSON.stringify(JSON.stringify({ k: [text] })), shape: PLANTED })),
  planted.map((text) => ({
    text: JSON.stringify(`z ${JSON.stringify({ k: JSON.stringify([text]) })} z`),
    shape: PLANTED,
  })),
  fc
    .constantFrom('4111111111111111', '-4111111111111111', '4.111111111111111e15', '4111111111111111.00')
    .map((text) => ({ text, shape: PLANTED })),
)

function escapedString(text: string): string {
  return `"${text.split('').map(unicodeEscape).join('')}"`
}

const key: fc.Arbitrary<Planted> = fc.oneof(
  safeText.map((text) => ({ text: JSON.stringify(text), shape: JSON.stringify(text) })),
  planted.map((text) => ({ text: escapedString(text), shape: PLANTED })),
)

const { document } = fc.letrec<{ document: Planted; list: Planted; map: Planted }>((tie) => ({
  document: fc.oneof({ maxDepth: 5 }, leaf, tie('list'), tie('map')),
  list: fc.array(tie('document'), { maxLength: 5 }).map((items) => ({
    text: `[ ${items.map(({ text }) => text).join(' , ')}]`,
    shape: items.map(({ shape }) => shape),
  })),
  map: fc.array(fc.tuple(key, tie('document')), { maxLength: 5 }).map((members) => ({
    text: `{${members.map(([name, { text }]) => `${name.text} :${text}`).join(',')}}`,
    shape: members.map(([name, { shape }]) => [name.shape, shape]),
  })),
}))

/** What of a planted value could be recognised: runs of its letters and digits, however they are written. */
function traces(text: string): string[] {
  const readable = text
    .normalize('NFKC')
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/%([0-9a-f]{2})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/&#([0-9]+);/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .normalize('NFKC')
    .replaceAll(/[\p{DI}\p{Cc}]|\u0332/gu, '')
    .toLowerCase()
  const needles = [
    'mallory',
    'evil',
    '2125550100',
    '212 555',
    '41111',
    '4.111',
    'de89',
    '123-45',
    '203.0',
    'eyj',
    'akia',
    'previous',
    'strass',
    'tck-',
  ]
  return needles.filter((needle) => readable.includes(needle))
}

test(`no planted value is left, wherever it stands and however it is written (seed ${seed})`, async () => {
  const sanitizer = createSanitizer(rules)
  await fc.assert(
    fc.asyncProperty(document, async ({ text, shape }) => {
      const { answer, forwarded } = await sanitizer.treat(text)
      expect(answer).toBeUndefined()
      expect(traces(forwarded)).toEqual([])
      JSON.parse(forwarded)
      if (!hasPlants(shape)) expect(forwarded).toBe(text)
    }),
    { seed, numRuns: 1500 },
  )
}, 60_000)

function hasPlants(shape: unknown): boolean {
  return Array.isArray(shape) ? shape.some(hasPlants) : shape === PLANTED
}

test(`everything that was not planted stays equal (seed ${seed})`, async () => {
  const sanitizer = createSanitizer(rules)
  await fc.assert(
    fc.asyncProperty(fc.array(leaf, { minLength: 1, maxLength: 8 }), async (leaves) => {
      const { forwarded } = await sanitizer.treat(
        `{${leaves.map(({ text }, n) => `"k${n}":${text}`).join(',\n')}}`,
      )
      const parts = forwarded.slice(1, -1).split(/,\n(?="k[0-9]+":)/)
      const treated = parts.map((part) => part.slice(part.indexOf(':') + 1))
      expect(treated).toHaveLength(leaves.length)
      for (const [n, { text, shape }] of leaves.entries()) {
        if (shape === PLANTED) expect(treated[n]).not.toBe(text)
        else expect(treated[n]).toBe(text)
      }
    }),
    { seed, numRuns: 1500 },
  )
}, 60_000)

test.each(plants)(
  '%s is found at every split and in every disguise, as text, form, key and value',
  async (value) => {
    const sanitizer = createSanitizer(rules)
    for (const [name, write] of Object.entries(disguises)) {
      for (let at = 1; at < value.length; at++) {
        const written = write(value, at)
        const bodies = [
          [JSON.stringify([written]), 'application/json'],
          [JSON.stringify({ [written]: 1 }), 'application/json'],
          [JSON.stringify({ k: JSON.stringify({ k: written }) }), 'application/json'],
          [`z ${written} z`, 'text/plain'],
          [`k=${encodeURIComponent(written)}`, 'application/x-www-form-urlencoded'],
        ] as const
        for (const [body, type] of bodies) {
          const { answer, forwarded } = await sanitizer.treat(body, { type })
          expect({ answer, name, at, traces: traces(forwarded) }).toEqual({
            answer: undefined,
            name,
            at,
            traces: [],
          })
          expect(forwarded).toMatch(/REDACTED|ticket/)
        }
      }
    }
  },
  60_000,
)
