import { NO_SPANS, type Span } from '../text-view.ts'

/** Finds one kind of value in text. */
export interface Detector {
  /** All patterns that run on a whole text. A test proves that they are safe; code reads on after them. */
  readonly patterns: readonly RegExp[]
  /** The length of the shortest value. */
  readonly minLength: number
  /** Spans of values. `hint` is the nearest JSON key or the name of the form field. */
  find(text: string, hint: string): readonly Span[]
}

/** The span of a value, or, without one, the index to continue the search from. */
export type Verdict = Span | number

/** Finds the matches of `pattern` that `judge` confirms. */
export function findMatches(
  pattern: RegExp,
  text: string,
  judge: (match: RegExpExecArray) => Verdict = wholeMatch,
): readonly Span[] {
  // Most texts have no match, and `search` allocates no object.
  const first = text.search(pattern)
  if (first === -1) return NO_SPANS
  const spans: Span[] = []
  // Set before every use: an earlier search leaves its own index there.
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

/** The group at the end of a match: the value without the words before it. */
export function announcedValue({ 0: text, 1: value = '', index }: RegExpExecArray): Span {
  const end = index + text.length
  return { start: end - value.length, end }
}

/** A value that follows a word such as `phone`, in the text itself or in the key of the text. */
export interface Announcement {
  /** A cheap test for keys that may announce a value. */
  readonly inKey: RegExp
  find(text: string): readonly Span[]
}

const LONGEST_HINTED = 512
// The caller chooses the key, and every value under it is searched together with it.
const LONGEST_HINT = 128
const WORDS_OF_A_KEY = /([a-z])(?=[A-Z])|[_-]+/g

/** Searches a text together with its key: `{"homePhone": 5550100}` reads `home Phone: 5550100`. */
export function findAnnounced(text: string, hint: string, { inKey, find }: Announcement): readonly Span[] {
  const key = hint.slice(-LONGEST_HINT)
  if (key === '' || text.length > LONGEST_HINTED || !inKey.test(key)) return find(text)
  const lead = `${key.replace(WORDS_OF_A_KEY, '$1 ')}: `
  return find(lead + text)
    .filter(({ start }) => start >= lead.length)
    .map(({ start, end }) => ({ start: start - lead.length, end: end - lead.length }))
}
