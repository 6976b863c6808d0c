import { NO_SPANS, type Span } from '../text-view.ts'
import { anyOf, isAlphanumeric, isDigit, isLetter } from './character-kinds.ts'
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
const LENGTHS = lengthsByCountry()
const NO_VALUE = 255
/** Digits are themselves, letters 10 to 35. */
const VALUES = valuesByUnit()
const ANNOUNCEMENT = 'iban'
/** Country and check digits come first in writing and last in the calculation. */
const CHECKED_LAST = 4
const MOST_SEPARATORS = 2
const isSeparator = anyOf(' -./_\t\r\n')

/** International bank account numbers: known country, its length, and the check digits of ISO 7064 (mod 97-10). */
export const iban: Detector = {
  // No pattern: a text of nothing but beginnings of account numbers would make an object of each.
  patterns: [],
  minLength: 15,
  find(text) {
    let spans: Span[] | undefined
    for (let start = 0; start < text.length - 4; start++) {
      const end = startsLikeIban(text, start) ? accountEnd(text, start) : undefined
      if (end === undefined) continue
      spans ??= []
      spans.push({ start, end })
      start = end - 1
    }
    return spans ?? NO_SPANS
  },
}

function lengthsByCountry(): Uint8Array {
  const lengths = new Uint8Array(32 * 32)
  for (const [length, countries] of Object.entries(COUNTRIES)) {
    for (const country of countries.split(' ')) lengths[countryIndex(country, 0)] = Number(length)
  }
  return lengths
}

/** Two letters as one number, in either case. */
function countryIndex(text: string, start: number): number {
  return (text.charCodeAt(start) & 0x1f) * 32 + (text.charCodeAt(start + 1) & 0x1f)
}

/** Two letters, two digits, and no letter or digit before them but those of the word itself. */
function startsLikeIban(text: string, start: number): boolean {
  return (
    isDigit(text.charCodeAt(start + 2)) &&
    isDigit(text.charCodeAt(start + 3)) &&
    isLetter(text.charCodeAt(start)) &&
    isLetter(text.charCodeAt(start + 1)) &&
    (!isAlphanumeric(text.charCodeAt(start - 1)) || isAnnounced(text, start))
  )
}

function isAnnounced(text: string, start: number): boolean {
  return text.slice(Math.max(0, start - ANNOUNCEMENT.length), start).toLowerCase() === ANNOUNCEMENT
}

/** Behind the account number that starts here; undefined when it is none. */
function accountEnd(text: string, start: number): number | undefined {
  let left = (LENGTHS[countryIndex(text, start)] ?? 0) - CHECKED_LAST
  let end = start + CHECKED_LAST
  let rest = 0
  for (let index = end; left > 0 && index - end <= MOST_SEPARATORS; index++) {
    const value = valueAt(text, index)
    if (value !== NO_VALUE) {
      rest = append(rest, value)
      left--
      end = index + 1
    } else if (!isSeparator(text.charCodeAt(index))) return undefined
  }
  if (left !== 0 || valueAt(text, end) !== NO_VALUE) return undefined
  for (let i = start; i < start + CHECKED_LAST; i++) rest = append(rest, valueAt(text, i))
  return rest % 97 === 1 ? end : undefined
}

function valueAt(text: string, index: number): number {
  return index < text.length ? (VALUES[text.charCodeAt(index)] ?? NO_VALUE) : NO_VALUE
}

/** The number with one more character, kept small: only its remainder by 97 matters. */
function append(number: number, value: number): number {
  const longer = number * (value > 9 ? 100 : 10) + value
  return longer > 999_999 ? longer % 97 : longer
}

function valuesByUnit(): Uint8Array {
  const values = new Uint8Array(128).fill(NO_VALUE)
  for (let value = 0; value < 36; value++) {
    const character = value.toString(36)
    values[character.charCodeAt(0)] = value
    values[character.toUpperCase().charCodeAt(0)] = value
  }
  return values
}
