import { isBase64Url, runEnd } from '../characters.ts'
import type { Span } from '../text-view.ts'
import { type Detector, findMatches } from './find-matches.ts'

// A brace and its possible next characters (`"`, blank, line break) in base64url. The shortest header is `{"alg":"x"}`.
const START = /(?<![A-Za-z0-9_-])e[wy][A-Za-z0-9_-]{13}/g
// The closing brace in each of the three alignments of bytes to characters.
const BRACE_END = /(?:fQ|0|9)$/
const ALGORITHM = /"alg"\s{0,8}:\s{0,8}"/
const DOT = 0x2e
const SIGNED_PARTS = 3
const ENCRYPTED_PARTS = 5

/** JSON Web Tokens, signed, unsigned and encrypted; the header must name an algorithm (RFC 7515, section 4.1.1). */
export const jwt: Detector = {
  patterns: [START],
  minLength: 20,
  find: (text) => findMatches(START, text, judge),
}

function judge({ index, input }: RegExpExecArray): Span | number {
  const headerEnd = runEnd(input, index, isBase64Url)
  if (input.charCodeAt(headerEnd) !== DOT || !isHeader(input.slice(index, headerEnd))) return headerEnd
  const end = tokenEnd(input, headerEnd)
  return end === undefined ? headerEnd : { start: index, end }
}

/** The end of the third part, or of the fifth if there are five; a part may be empty. */
function tokenEnd(text: string, headerEnd: number): number | undefined {
  const ends = [headerEnd]
  let end = headerEnd
  while (ends.length < ENCRYPTED_PARTS && text.charCodeAt(end) === DOT) {
    end = runEnd(text, end + 1, isBase64Url)
    ends.push(end)
  }
  // Four parts are a signed token, a full stop and the next word.
  return ends[ends.length === ENCRYPTED_PARTS ? ENCRYPTED_PARTS - 1 : SIGNED_PARTS - 1]
}

function isHeader(part: string): boolean {
  if (!BRACE_END.test(part)) return false
  const header = Buffer.from(part, 'base64url').toString('latin1')
  return header.endsWith('}') && ALGORITHM.test(header)
}
