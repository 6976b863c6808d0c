import { NO_SPANS } from '../text-view.ts'
import { announcedValue, type Detector, findAnnounced, findMatches } from './find-matches.ts'

// Areas 000, 666 and 9xx, group 00 and serial 0000 were never issued.
const AREA = '(?!000|666|9)[0-9]{3}'
const GROUP = '(?!00)[0-9]{2}'
const SERIAL = '(?!0000)[0-9]{4}'
const SEPARATOR = '(?: ?[-./] ?| {1,2})'
const WRITTEN = new RegExp(
  `(?<![0-9])(?<![0-9][-./])${AREA}${SEPARATOR}${GROUP}${SEPARATOR}${SERIAL}(?![0-9])(?![-./][0-9])`,
  'g',
)
// Of the same form with commas, and not a part of a longer list.
const WITH_COMMAS = new RegExp(
  `(?<![0-9])(?<![0-9],)(?<![0-9], )${AREA}, ?${GROUP}, ?${SERIAL}(?![0-9])(?!, ?[0-9])`,
  'g',
)
// Nine digits alone are often an order or account number, so a word before them is required.
const ANNOUNCED = new RegExp(
  `(?<![a-z])(?:ssn|social[ _-]?security)(?![a-z]{3})[^0-9]{0,16}(${AREA}${GROUP}${SERIAL})(?![0-9])`,
  'gi',
)

const ANNOUNCEMENT = {
  inKey: /ssn|social/i,
  find: (text: string) => findMatches(ANNOUNCED, text, announcedValue),
}

/** Social security numbers of the United States: in three groups, or after a word such as `ssn`. */
export const usSsn: Detector = {
  patterns: [WRITTEN, WITH_COMMAS, ANNOUNCED],
  minLength: 9,
  find: (text, hint) => [
    ...findMatches(WRITTEN, text),
    ...(text.includes(',') ? findMatches(WITH_COMMAS, text) : NO_SPANS),
    ...findAnnounced(text, hint, ANNOUNCEMENT),
  ],
}
