import { classesOf, classTable, OTHER } from '../characters.ts'
import { NO_SPANS, type Span } from '../text-view.ts'
import type { Detector } from './find-matches.ts'

/** Countries by the length of their account numbers, from the registry of ISO 13616. */
const COUNTRIES = {
  15: 'NO',
  16: 'BE',
  18: 'DK FI FK FO GL NL SD',
  19: 'MK SI',
  20: 'AT BA EE KZ LT LU MN XK',
  21: 'CH HR LI LV',
  22: 'BG BH CR DE GB GE IE ME RS VA',
  23: 'AE GI IL IQ OM SO TL',
  24: 'AD CZ ES MD PK RO SA SE SK TN VG',
  25: 'LY PT ST',
  26: 'IS TR',
  27: 'BI DJ FR GR IT MC MR SM',
  28: 'AL AZ BY CY DO GT HU LB NI PL SV',
  29: 'BR EG PS QA UA',
  30: 'JO KW MU YE',
  31: 'MT SC',
  32: 'LC',
  33: 'RU',
}
/** The values of the check digit calculation: digits 0 to 9, letters 10 to 35. */
const LETTERS_AND_DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
const VALUES = LETTERS_AND_DIGITS.length
const SEPARATOR = VALUES
const CLASSES = classTable(
  [...LETTERS_AND_DIGITS].map((sign) => sign + sign.toUpperCase()).concat(' -./_,\t\r\n'),
)
const LENGTHS = lengthsByCountry()
const REMAINDERS = remainders()
/** Country and check digits are written first and calculated last. */
const CHECKED_LAST = 4
const MOST_SEPARATORS = 2
const ANNOUNCEMENT = 'iban'

/** International bank account numbers: known country, its length, and the check digits of ISO 7064 (mod 97-10). */
export const iban: Detector = {
  // No pattern: a text full of beginnings of account numbers would allocate an object for each.
  patterns: [],
  minLength: 15,
  find(text) {
    const classes = classesOf(text, CLASSES)
    let spans: Span[] | undefined
    for (let start = 0; start < text.length - CHECKED_LAST; start++) {
      if (!startsLikeIban(classes, start) || isGlued(text, classes, start)) continue
      const end = accountEnd(classes, start)
      if (end === undefined) continue
      spans ??= []
      spans.push({ start, end })
      start = end - 1
    }
    return spans ?? NO_SPANS
  },
}

function lengthsByCountry(): Uint8Array {
  const lengths = new Uint8Array(VALUES * VALUES)
  for (const [length, countries] of Object.entries(COUNTRIES)) {
    for (const country of countries.split(' ')) {
      const [first = 0, second = 0] = classesOf(country, CLASSES)
      lengths[first * VALUES + second] = Number(length)
    }
  }
  return lengths
}

/** The next remainder modulo 97 for every remainder and every next character. */
function remainders(): Uint8Array {
  return Uint8Array.from({ length: 97 * VALUES }, (_, index) => {
    const value = index % VALUES
    return (((index - value) / VALUES) * (value > 9 ? 100 : 10) + value) % 97
  })
}

/** Two letters, two digits. */
function startsLikeIban(classes: Uint8Array, start: number): boolean {
  return (
    isDigitAt(classes, start + 2) &&
    isDigitAt(classes, start + 3) &&
    isLetterAt(classes, start) &&
    isLetterAt(classes, start + 1)
  )
}

function isDigitAt(classes: Uint8Array, index: number): boolean {
  return (classes[index] ?? SEPARATOR) < 10
}

function isLetterAt(classes: Uint8Array, index: number): boolean {
  const value = classes[index] ?? SEPARATOR
  return value >= 10 && value < VALUES
}

/** Whether a letter or digit precedes it, other than the word `iban`. */
function isGlued(text: string, classes: Uint8Array, start: number): boolean {
  if (start === 0 || (classes[start - 1] ?? SEPARATOR) >= VALUES) return false
  return text.slice(Math.max(0, start - ANNOUNCEMENT.length), start).toLowerCase() !== ANNOUNCEMENT
}

/** The end of the account number at `start`; `undefined` when it is none. */
function accountEnd(classes: Uint8Array, start: number): number | undefined {
  const country = (classes[start] ?? 0) * VALUES + (classes[start + 1] ?? 0)
  const rest = start + CHECKED_LAST
  const end = skipValues(classes, rest, (LENGTHS[country] ?? 0) - CHECKED_LAST)
  if (end === undefined || (classes[end] ?? SEPARATOR) < VALUES) return undefined
  const remainder = addValues(classes, { start, end: rest }, addValues(classes, { start: rest, end }, 0))
  return remainder === 1 ? end : undefined
}

/** The end of `count` letters and digits with at most two separators between neighbours. */
function skipValues(classes: Uint8Array, start: number, count: number): number | undefined {
  let left = count
  let end = start
  for (let index = start; left > 0 && index - end <= MOST_SEPARATORS; index++) {
    const value = classes[index] ?? OTHER
    if (value < VALUES) {
      left--
      end = index + 1
    } else if (value !== SEPARATOR) return undefined
  }
  return left === 0 ? end : undefined
}

function addValues(classes: Uint8Array, { start, end }: Span, before: number): number {
  let remainder = before
  for (let index = start; index < end; index++) {
    const value = classes[index] ?? OTHER
    if (value < VALUES) remainder = REMAINDERS[remainder * VALUES + value] ?? 0
  }
  return remainder
}
