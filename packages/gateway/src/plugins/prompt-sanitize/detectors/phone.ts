import { NO_SPANS, type Span } from '../text-view.ts'
import { announcedValue, type Detector, findAnnounced, findMatches } from './find-matches.ts'

const EXTENSION = '(?: ?(?:x|ext\\.?) ?[0-9]{1,5})?'
// E.164: at most 15 digits. A letter or digit before the plus makes it a sum or a part number.
const INTERNATIONAL = new RegExp(
  `(?<![A-Za-z0-9+])(?:\\+|(?<![0-9][ -])00)[ (]{0,2}[1-9](?:[ ./()-]{0,3}[0-9]){6,14}(?![0-9])${EXTENSION}`,
  'g',
)
// North America: area code and exchange never start with 0 or 1.
const NORTH_AMERICAN = new RegExp(
  '(?<![A-Za-z0-9])(?<![0-9][-.])(?:1[-. ]?)?' +
    '(?:\\([2-9][0-9]{2}\\)[-. ]?|[2-9][0-9]{2}[-./ ])[2-9][0-9]{2}[-. ][0-9]{4}' +
    `(?![0-9])(?![-.][0-9])${EXTENSION}`,
  'g',
)
// National form with trunk prefix 0 (most of Europe, Asia, Australia): one kind of separator throughout.
const NATIONAL = new RegExp(
  '(?<![A-Za-z0-9])(?<![0-9][-./ ])(?:' +
    [' ', '-', '\\.', '/']
      .map((sign) => `\\(?0[1-9][0-9]{0,4}\\)?${sign}[0-9]{2,9}(?:${sign}[0-9]{2,4}){0,3}`)
      .join('|') +
    ')(?![0-9])(?![-./:][0-9])',
  'g',
)
// With commas a number has three groups at least and is no part of a longer list.
const COMMA = ', ?'
const NO_LIST_BEFORE = '(?<![A-Za-z0-9])(?<![0-9],)(?<![0-9], )'
const NO_LIST_AFTER = `(?![0-9])(?!${COMMA}[0-9])`
const INTERNATIONAL_WITH_COMMAS = new RegExp(
  `(?<![A-Za-z0-9+])\\+[1-9][0-9]{0,2}(?:${COMMA}[0-9]{2,9}){2,5}(?![0-9])`,
  'g',
)
const NORTH_AMERICAN_WITH_COMMAS = new RegExp(
  `${NO_LIST_BEFORE}(?:1${COMMA})?[2-9][0-9]{2}${COMMA}[2-9][0-9]{2}${COMMA}[0-9]{4}${NO_LIST_AFTER}`,
  'g',
)
const NATIONAL_WITH_COMMAS = new RegExp(
  `${NO_LIST_BEFORE}0[1-9][0-9]{0,4}${COMMA}[0-9]{2,9}(?:${COMMA}[0-9]{2,4}){1,3}${NO_LIST_AFTER}`,
  'g',
)
const ANNOUNCED = new RegExp(
  '(?<![a-z])(?:phone|telephone|mobile|cell|cellphone|tel|fax|sms|whatsapp|call|dial)(?![a-z])' +
    '[^0-9]{0,20}((?:[0-9]{3}[-., ][0-9]{4}|[0-9]{7,15}))(?![0-9])(?![-.][0-9])',
  'gi',
)

const ANNOUNCEMENT = {
  inKey: /phone|mobile|tel|fax|sms|whatsapp/i,
  find: (text: string) => findMatches(ANNOUNCED, text, announcedValue),
}

/** Telephone numbers: international, North American, national with a leading 0, and digits after a word such as `phone`. */
export const phone: Detector = {
  patterns: [
    INTERNATIONAL,
    NORTH_AMERICAN,
    NATIONAL,
    INTERNATIONAL_WITH_COMMAS,
    NORTH_AMERICAN_WITH_COMMAS,
    NATIONAL_WITH_COMMAS,
    ANNOUNCED,
  ],
  minLength: 7,
  find: (text, hint) => [
    ...findMatches(INTERNATIONAL, text, judgeInternational),
    ...findMatches(NORTH_AMERICAN, text),
    ...findMatches(NATIONAL, text, judgeNational),
    ...(text.includes(',') ? findWithCommas(text) : NO_SPANS),
    ...findAnnounced(text, hint, ANNOUNCEMENT),
  ],
}

function findWithCommas(text: string): readonly Span[] {
  return [
    ...findMatches(INTERNATIONAL_WITH_COMMAS, text, judgeInternationalWithCommas),
    ...findMatches(NORTH_AMERICAN_WITH_COMMAS, text),
    ...findMatches(NATIONAL_WITH_COMMAS, text, judgeNationalWithCommas),
  ]
}

/** Groups of three digits are an amount: `+1,200,300`. */
function judgeInternationalWithCommas({ 0: number, index }: RegExpExecArray): Span | number {
  const end = index + number.length
  const digits = number.replaceAll(/[^0-9]/g, '').length
  return digits < 7 || digits > 15 || /^\+[0-9]{1,3}(?:, ?[0-9]{3})+$/.test(number)
    ? end
    : { start: index, end }
}

/** Pairs of digits are mostly a list: `08, 09, 10, 11, 12`. */
function judgeNationalWithCommas(match: RegExpExecArray): Span | number {
  return /[0-9]{3}/.test(match[0]) ? judgeNational(match) : match.index + match[0].length
}

/** Digits without separators after 00 are a number padded with zeros, not an international prefix. */
function judgeInternational({ 0: number, index }: RegExpExecArray): Span | number {
  const end = index + number.length
  return /^[0-9]+$/.test(number) ? end : { start: index, end }
}

/** Eight digits or fewer with a leading 0 are mostly dates. */
function judgeNational({ 0: number, index }: RegExpExecArray): Span | number {
  const end = index + number.length
  const digits = number.replaceAll(/[^0-9]/g, '').length
  return digits >= 9 && digits <= 12 ? { start: index, end } : end
}
