import type { Span } from '../text-view.ts'
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
const ANNOUNCED = new RegExp(
  '(?<![a-z])(?:phone|telephone|mobile|cell|cellphone|tel|fax|sms|whatsapp|call|dial)(?![a-z])' +
    '[^0-9]{0,20}((?:[0-9]{3}[-. ][0-9]{4}|[0-9]{7,15}))(?![0-9])(?![-.][0-9])',
  'gi',
)

const ANNOUNCEMENT = {
  inKey: /phone|mobile|tel|fax|sms|whatsapp/i,
  find: (text: string) => findMatches(ANNOUNCED, text, announcedValue),
}

/** Telephone numbers: international, North American, national with a leading 0, and digits after a word such as `phone`. */
export const phone: Detector = {
  patterns: [INTERNATIONAL, NORTH_AMERICAN, NATIONAL, ANNOUNCED],
  minLength: 7,
  find: (text, hint) => [
    ...findMatches(INTERNATIONAL, text, judgeInternational),
    ...findMatches(NORTH_AMERICAN, text),
    ...findMatches(NATIONAL, text, judgeNational),
    ...findAnnounced(text, hint, ANNOUNCEMENT),
  ],
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
