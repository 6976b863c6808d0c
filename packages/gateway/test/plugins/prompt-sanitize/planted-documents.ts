import fc from 'fast-check'
import { everyDetector, type TestRule } from './sanitizing.ts'

/** Rules of every kind; each finds one of the values below. */
export const rules: readonly TestRule[] = [
  ...everyDetector,
  { name: 'jailbreak', keywords: ['ignore previous instructions', 'Straße'] },
  { name: 'ticket', regex: 'TCK-[0-9]{6}', replacement: '[ticket]' },
]

/** One value per rule, and two for the keywords. The safe text below uses other letters. */
export const plants = [
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

/** Disguises of a value that defeat a plain search. */
export const disguises: Readonly<Record<string, (value: string, at: number) => string>> = {
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

/** Text without a match; it never touches a planted value. */
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

/** A document as text, and its shape with a mark at every planted value. */
export interface Planted {
  readonly text: string
  readonly shape: unknown
}

/** The mark of a planted value in a shape. */
export const PLANTED = Symbol('planted')

/** A value of a document. */
export const leaf: fc.Arbitrary<Planted> = fc.oneof(
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

/** A document of any form with planted values in it. */
export const { document } = fc.letrec<{ document: Planted; list: Planted; map: Planted }>((tie) => ({
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

/** The recognisable parts of a planted value: runs of its letters and digits, in any spelling. */
export function traces(text: string): string[] {
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

/** Whether anything was planted in a document. */
export function hasPlants(shape: unknown): boolean {
  return Array.isArray(shape) ? shape.some(hasPlants) : shape === PLANTED
}
