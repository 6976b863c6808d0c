import type { Span } from '../text-view.ts'
import { type Detector, findMatches } from './find-matches.ts'

// Reports often put the dots in brackets, so that the address is no link.
const DOT = '(?:\\.|\\[\\.\\])'
const OCTET = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])'
// Exactly four numbers: five or more are an object identifier or a version.
const ADDRESS = new RegExp(`(?<![0-9])(?<![0-9]\\.)(?:${OCTET}${DOT}){3}${OCTET}(?![0-9])(?!\\.[0-9])`, 'g')
const VERSION_BEFORE = /(?:^|[^a-z])(?:v|ver|version|release)[ .:]{0,2}$/i
const LONGEST_LEAD = 12

/** IPv4 addresses in dotted decimal form. */
export const ipv4: Detector = {
  patterns: [ADDRESS],
  minLength: 7,
  find: (text) => findMatches(ADDRESS, text, judge),
}

function judge({ 0: address, index, input }: RegExpExecArray): Span | number {
  const end = index + address.length
  const before = input.slice(Math.max(0, index - LONGEST_LEAD), index)
  return VERSION_BEFORE.test(before) ? end : { start: index, end }
}
