import { NO_SPANS, type Span } from './text-view.ts'

const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** Finds what earlier redactions left behind, so that no rule takes it for a value. */
export type PlaceholderFinder = (text: string) => readonly Span[]

/** Makes a finder of exactly these texts. */
export function createPlaceholderFinder(placeholders: readonly string[]): PlaceholderFinder {
  const texts = [...new Set(placeholders)].filter((text) => text !== '')
  if (texts.length === 0) return () => NO_SPANS
  // The longest first, so that one which begins like another is found whole.
  const sources = texts.toSorted((a, b) => b.length - a.length).map((text) => text.replace(SPECIAL, '\\$&'))
  const pattern = new RegExp(sources.join('|'), 'g')
  return (text) => (text.search(pattern) === -1 ? NO_SPANS : Array.from(text.matchAll(pattern), spanOf))
}

function spanOf({ 0: found, index }: RegExpExecArray): Span {
  return { start: index, end: index + found.length }
}
