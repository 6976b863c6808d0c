import { NO_SPANS, type Span } from '../text-view.ts'

/** One kind of value that can be found in text. */
export interface Detector {
  /** Every pattern it runs on a whole text; all are finite, which a test proves. What is longer is read on by hand. */
  readonly patterns: readonly RegExp[]
  /** No shorter text holds a value. */
  readonly minLength: number
  /** Places of values. `hint` is what the text stands under: the nearest key of JSON, the name of a form field. */
  find(text: string, hint: string): readonly Span[]
}

/** The value that a match led to, or, when there is none, the place from which to search on. */
export type Verdict = Span | number

/** The places that `pattern` leads to and `judge` confirms. */
export function findMatches(
  pattern: RegExp,
  text: string,
  judge: (match: RegExpExecArray) => Verdict = wholeMatch,
): readonly Span[] {
  // Most texts hold nothing, and `search` finds that out without making an object.
  const first = text.search(pattern)
  if (first === -1) return NO_SPANS
  const spans: Span[] = []
  // Set before every use, so that what an earlier search left there does not matter.
  pattern.lastIndex = first
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const verdict = judge(match)
    if (typeof verdict !== 'number') spans.push(verdict)
    pattern.lastIndex = Math.max(typeof verdict === 'number' ? verdict : verdict.end, match.index + 1)
  }
  return spans
}

function wholeMatch({ 0: text, index }: RegExpExecArray): Span {
  return { start: index, end: index + text.length }
}

/** Where the first character from `start` on stands that `belongs` refuses. */
export function runEnd(text: string, start: number, belongs: (unit: number) => boolean): number {
  let end = start
  while (end < text.length && belongs(text.charCodeAt(end))) end++
  return end
}

/** The group at the end of a match: the value, without the words that announce it. */
export function announcedValue({ 0: text, 1: value = '', index }: RegExpExecArray): Span {
  const end = index + text.length
  return { start: end - value.length, end }
}

/** A value that its words announce, in the text itself or in the key the text stands under. */
export interface Announcement {
  /** What a key has to contain to announce a value, as part of any word: a cheap test for all the other keys. */
  readonly inKey: RegExp
  find(text: string): readonly Span[]
}

const LONGEST_HINTED = 512
// The caller chooses the key, and it is searched again with every value that stands under it.
const LONGEST_HINT = 128
const WORDS_OF_A_KEY = /([a-z])(?=[A-Z])|[_-]+/g

/** Searches a text together with the key that announces it: `{"homePhone": 5550100}` reads `home Phone: 5550100`. */
export function findAnnounced(text: string, hint: string, { inKey, find }: Announcement): readonly Span[] {
  const key = hint.slice(-LONGEST_HINT)
  if (key === '' || text.length > LONGEST_HINTED || !inKey.test(key)) return find(text)
  const lead = `${key.replace(WORDS_OF_A_KEY, '$1 ')}: `
  return find(lead + text)
    .filter(({ start }) => start >= lead.length)
    .map(({ start, end }) => ({ start: start - lead.length, end: end - lead.length }))
}
