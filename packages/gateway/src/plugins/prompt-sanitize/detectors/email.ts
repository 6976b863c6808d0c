import { anyOf, isAlphanumeric } from '../characters.ts'
import type { Span } from '../text-view.ts'
import { type Detector, findMatches } from './find-matches.ts'

const LABEL = String.raw`[\p{L}\p{N}](?:-{0,3}[\p{L}\p{M}\p{N}]){0,62}`
const LITERAL = String.raw`\[(?:[0-9]{1,3}\.){3}[0-9]{1,3}\]`
// Spelled out in brackets against address collectors: `alice [at] example (dot) com`.
const AT = String.raw`(?:@| ?[([{] ?at ?[)\]}] ?)`
const DOT = String.raw`(?:\.| ?[([{] ?dot ?[)\]}] ?)`
// The search starts at the rare `@`. Code then reads the name before it backwards, each character once (F9).
const AT_DOMAIN = new RegExp(
  String.raw`${AT}(?:(?:${LABEL}${DOT}){1,16}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,63})|${LITERAL})`,
  'giu',
)
// `logo@2x.png` is an image for a dense display.
const PICTURE = /^@[0-9]x\.(?:png|jpe?g|gif|webp|svg|avif)$/i
// The RFC allows `=`, `&` and `/` in a name, but in URLs and code they separate.
const isMark = anyOf("._%+'!~$^-")
const isLeading = anyOf("'.")
const NON_LATIN = /[\p{L}\p{M}\p{N}\p{Cs}]/u
const QUOTE = 0x22
const LINE_BREAK = 0x0a
const LONGEST_QUOTED = 64

/** E-mail addresses, with quoted and non-Latin names, sub-domains, punycode and address literals. */
export const email: Detector = {
  patterns: [AT_DOMAIN],
  minLength: 6,
  find: (text) => findMatches(AT_DOMAIN, text, judge),
}

function judge({ 0: domain, index, input }: RegExpExecArray): Span | number {
  const start = input.charCodeAt(index - 1) === QUOTE ? quotedStart(input, index) : plainStart(input, index)
  if (start === index || PICTURE.test(domain)) return index + 1
  return { start, end: index + domain.length }
}

function plainStart(text: string, end: number): number {
  let start = end
  while (start > 0 && isLocal(text.charCodeAt(start - 1))) start--
  while (start < end && isLeading(text.charCodeAt(start))) start++
  return start
}

function isLocal(unit: number): boolean {
  return isAlphanumeric(unit) || isMark(unit) || (unit > 0x7f && NON_LATIN.test(String.fromCharCode(unit)))
}

/** The index of the opening quote of a name that closes before `end`; `end` when there is none within 64 characters. */
function quotedStart(text: string, end: number): number {
  for (let index = end - 2; index >= Math.max(0, end - LONGEST_QUOTED - 2); index--) {
    const unit = text.charCodeAt(index)
    if (unit === QUOTE) return index
    if (unit === LINE_BREAK) return end
  }
  return end
}
