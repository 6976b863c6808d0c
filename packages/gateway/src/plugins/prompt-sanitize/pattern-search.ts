import type { RE2JS } from 're2js'
import { compilePattern } from '../../config/schema/rule-pattern.ts'
import { CannotSanitizeError } from './cannot-sanitize.ts'
import { NO_SPANS, type Span } from './text-view.ts'

// re2js needs up to a second for a MiB (F9); this is twice that, and room for a busy machine.
const FIXED_MILLISECONDS = 250
const MILLISECONDS_PER_UNIT = 0.002

/** Finds the places that an operator's pattern matches. */
export type PatternSearch = (text: string) => readonly Span[]

/** Makes the search for a pattern; throws `RE2JSException` for unsupported syntax. */
export function createPatternSearch(pattern: string): PatternSearch {
  const compiled = compilePattern(pattern)
  return (text) => (compiled.test(text) ? findAll(compiled, text) : NO_SPANS)
}

/**
 * One search is linear in the text, all of them together need not be: `a.*z|a` looks to the end for every `a`. So their
 * time is limited in proportion to the text, and beyond it the request is refused.
 */
function findAll(compiled: RE2JS, text: string): readonly Span[] {
  const spans: Span[] = []
  const isLate = createDeadline(FIXED_MILLISECONDS + text.length * MILLISECONDS_PER_UNIT)
  const matcher = compiled.matcher(text)
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) spans.push({ start: matcher.start(), end: matcher.end() })
    if (isLate()) throw new CannotSanitizeError('a pattern is too slow for the text')
  }
  return spans
}

/** The clock on the wall is cheap to ask, but only work counts: on a starved machine it runs on while nothing is done. */
function createDeadline(milliseconds: number): () => boolean {
  const wallStart = performance.now()
  const workStart = workedMilliseconds()
  return () => performance.now() - wallStart > milliseconds && workedMilliseconds() - workStart > milliseconds
}

function workedMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
