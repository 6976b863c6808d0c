import { CannotSanitizeError, type CompiledRule, readSubject, type Subject } from './compile-rules.ts'
import type { ViewReader } from './readable-view.ts'
import { NO_SPANS, type Span } from './text-view.ts'

/** A rule with action `reject` has a match. */
export interface Rejection {
  readonly type: 'rejected'
  readonly rule: string
}

/** Finds the name of a rule that matches a text: of one that rejects before others. */
export type RuleFinder = (text: string, hint: string) => string | undefined

/** Redacts one text; returns the same text without a match. `hint` is the key or name that may announce the value. */
export type TextRedactor = (text: string, hint: string) => string | Rejection

/** A span of a text and the rule that matches it. */
export interface Match extends Span {
  readonly rule: CompiledRule
}

/** The number of redactions by the name of the rule. */
export type Redactions = Readonly<Record<string, number>>

/** Counts the redactions of one inspection, which runs without a pause. */
export class RedactionTally {
  #counts: Record<string, number> = Object.create(null)

  add(rule: string): void {
    this.#counts[rule] = (this.#counts[rule] ?? 0) + 1
  }

  /** The redactions since the last call. */
  take(): Redactions {
    const counts = this.#counts
    this.#counts = Object.create(null)
    return counts
  }
}

/** Finds the replacements of earlier redactions, so that no rule matches them. */
export type PlaceholderFinder = (text: string) => readonly Span[]

// One pass finds everything, unless a replacement forms a new match with the text around it. A few more passes end that.
const MAX_PASSES = 8
const BACKSLASH = 0x5c
const ESCAPED = /["\\/bfnrtux]/
const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** Creates a redactor for these rules; `tally` counts what it redacts. */
export function createTextRedactor(
  rules: readonly CompiledRule[],
  read: ViewReader,
  tally?: RedactionTally,
): TextRedactor {
  const search = createSearch(rules, read)

  function redactOnce(text: string, hint: string): string | Rejection {
    const { matches, placeholders } = search(text, hint)
    if (matches.length === 0) return text
    const rejecting = matches.find(({ rule }) => rule.action === 'reject')
    if (rejecting !== undefined) return { type: 'rejected', rule: rejecting.rule.name }
    const regions = mergeMatches(matches, placeholders)
    for (const { rule } of regions) tally?.add(rule.name)
    return replaceRegions(text, regions)
  }

  return function redactText(text, hint) {
    let current = text
    // Until no rule matches, so that sanitizing the result again changes nothing.
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const next = redactOnce(current, hint)
      if (typeof next !== 'string' || next === current) return next
      current = next
    }
    throw new CannotSanitizeError('every redaction of a text makes a new match')
  }
}

/** Creates a finder of rules for texts that cannot be rewritten. */
export function createRuleFinder(rules: readonly CompiledRule[], read: ViewReader): RuleFinder {
  const search = createSearch(rules, read)
  return function findRule(text, hint) {
    const { matches } = search(text, hint)
    const rejecting = matches.find(({ rule }) => rule.action === 'reject')
    return (rejecting ?? matches[0])?.rule.name
  }
}

/** The matches in a text, and the placeholders among which they stand. */
interface Found {
  readonly matches: readonly Match[]
  readonly placeholders: readonly Span[]
}

const NOTHING: Found = { matches: [], placeholders: NO_SPANS }

function createSearch(rules: readonly CompiledRule[], read: ViewReader) {
  const findPlaceholders = createPlaceholderFinder(rules.map(({ placeholder }) => placeholder))
  return function search(text: string, hint: string): Found {
    const found = findMatches(rules, readSubject(text, hint, read))
    if (found.length === 0) return NOTHING
    const placeholders = findPlaceholders(text)
    return { matches: matchesOutside(found, placeholders), placeholders }
  }
}

function findMatches(rules: readonly CompiledRule[], subject: Subject): readonly Match[] {
  const matches: Match[] = []
  // Folding can make a text longer or shorter: the longer form counts.
  const length = Math.max(subject.source.text.length, subject.readable.text.length)
  for (const rule of rules) {
    if (length < rule.minLength) continue
    for (const { start, end } of rule.find(subject)) {
      matches.push({
        start: subject.decoded.length === 0 ? start : escapeStart(subject.source.text, start),
        end,
        rule,
      })
    }
  }
  return matches
}

/** A match that starts within an escape includes its backslashes: `\[REDACTED` would break the JSON around it. */
function escapeStart(text: string, start: number): number {
  if (text.charCodeAt(start - 1) !== BACKSLASH || !ESCAPED.test(text.charAt(start))) return start
  let first = start - 1
  while (text.charCodeAt(first - 1) === BACKSLASH) first--
  return first
}

function replaceRegions(text: string, regions: readonly Match[]): string {
  const parts: string[] = []
  let from = 0
  for (const { start, end, rule } of regions) {
    parts.push(text.slice(from, start), rule.placeholder)
    from = end
  }
  parts.push(text.slice(from))
  return parts.join('')
}

/** Creates a finder of exactly these texts. */
export function createPlaceholderFinder(placeholders: readonly string[]): PlaceholderFinder {
  const texts = [...new Set(placeholders)].filter((text) => text !== '')
  if (texts.length === 0) return () => NO_SPANS
  // The longest first: a placeholder may be the beginning of another.
  const sources = texts.toSorted((a, b) => b.length - a.length).map((text) => text.replace(SPECIAL, '\\$&'))
  const pattern = new RegExp(sources.join('|'), 'g')
  return (text) => (text.search(pattern) === -1 ? NO_SPANS : Array.from(text.matchAll(pattern), spanOf))
}

function spanOf({ 0: found, index }: RegExpExecArray): Span {
  return { start: index, end: index + found.length }
}

/** The matches in the order of the text, without those inside a placeholder. */
export function matchesOutside(matches: readonly Match[], placeholders: readonly Span[]): readonly Match[] {
  const sorted = inOrder(matches)
  if (placeholders.length === 0) return sorted
  const covered = mergeSpans(placeholders)
  let next = 0
  return sorted.filter(({ start, end }) => {
    while (next < covered.length && (covered[next]?.end ?? 0) <= start) next++
    const cover = covered[next]
    return cover === undefined || start < cover.start || end > cover.end
  })
}

/** The matches of one rule in one view are already in order, and may be very many. */
function inOrder(matches: readonly Match[]): readonly Match[] {
  const isSorted = matches.every(({ start }, index) => start >= (matches[index - 1]?.start ?? 0))
  return isSorted ? matches : matches.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/**
 * The regions to replace. Matches that overlap or touch form one region; the rule of the longest match names it, then the
 * order of the configuration. A region includes every placeholder that it cuts, so that no half of one is left.
 */
export function mergeMatches(matches: readonly Match[], placeholders: readonly Span[]): readonly Match[] {
  const regions: { start: number; end: number; rule: CompiledRule; longest: number }[] = []
  let next = 0
  for (const match of matches) {
    while (next < placeholders.length && (placeholders[next]?.end ?? 0) <= match.start) next++
    const { start, end } = widen(match, placeholders, next)
    const { rule } = match
    const longest = match.end - match.start
    const last = regions.at(-1)
    if (last === undefined || start > last.end) {
      regions.push({ start, end, rule, longest })
      continue
    }
    last.end = Math.max(last.end, end)
    if (longest > last.longest || (longest === last.longest && rule.order < last.rule.order)) {
      Object.assign(last, { rule, longest })
    }
  }
  return regions
}

function widen(match: Span, placeholders: readonly Span[], from: number): Span {
  let { start, end } = match
  for (let i = from; i < placeholders.length; i++) {
    const placeholder = placeholders[i]
    if (placeholder === undefined || placeholder.start >= end) break
    start = Math.min(start, placeholder.start)
    end = Math.max(end, placeholder.end)
  }
  return { start, end }
}

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: { start: number; end: number }[] = []
  for (const { start, end } of spans) {
    const last = merged.at(-1)
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}
