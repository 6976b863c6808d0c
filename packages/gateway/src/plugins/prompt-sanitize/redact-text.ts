import { CannotSanitizeError } from './cannot-sanitize.ts'
import type { CompiledRule } from './compile-rules.ts'
import { type Match, matchesOutside, mergeMatches } from './merge-matches.ts'
import { createPlaceholderFinder } from './placeholders.ts'
import type { ViewReader } from './readable-view.ts'
import { readSubject, type Subject } from './subject.ts'

/** A rule with action `reject` found something. */
export interface Rejection {
  readonly type: 'rejected'
  readonly rule: string
}

/** Treats one text; returns the same text when nothing was found. `hint` is the key or name that announces it. */
export type TextRedactor = (text: string, hint: string) => string | Rejection

// One pass finds everything, unless a replacement forms something new with its neighbours; a few more settle that.
const MAX_PASSES = 8
const BACKSLASH = 0x5c
const ESCAPED = /["\\/bfnrtux]/

/** Makes a redactor for these rules. */
export function createTextRedactor(rules: readonly CompiledRule[], read: ViewReader): TextRedactor {
  const findPlaceholders = createPlaceholderFinder(rules.map(({ placeholder }) => placeholder))

  function redactOnce(text: string, hint: string): string | Rejection {
    const subject = readSubject(text, hint, read)
    const found = findMatches(rules, subject)
    if (found.length === 0) return text
    const placeholders = findPlaceholders(text)
    const matches = matchesOutside(found, placeholders)
    const rejecting = matches.find(({ rule }) => rule.action === 'reject')
    if (rejecting !== undefined) return { type: 'rejected', rule: rejecting.rule.name }
    return replaceRegions(text, mergeMatches(matches, placeholders))
  }

  return function redactText(text, hint) {
    let current = text
    // Until nothing matches any more, so that sanitising the result again changes nothing.
    for (let pass = 0; pass < MAX_PASSES; pass++) {
      const next = redactOnce(current, hint)
      if (typeof next !== 'string' || next === current) return next
      current = next
    }
    throw new CannotSanitizeError('every redaction of a text makes a new match')
  }
}

function findMatches(rules: readonly CompiledRule[], subject: Subject): readonly Match[] {
  const matches: Match[] = []
  // Folding can make a text longer or shorter than it came: the longer form counts.
  const length = Math.max(subject.source.text.length, subject.readable.text.length)
  for (const rule of rules) {
    if (length < rule.minLength) continue
    for (const { start, end } of rule.find(subject)) {
      matches.push({
        start: subject.unescaped === undefined ? start : escapeStart(subject.source.text, start),
        end,
        rule,
      })
    }
  }
  return matches
}

/** A match that begins inside an escape takes the escape with it: `\[REDACTED` would break the JSON around it. */
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
