import type { CompiledRule } from './compile-rules.ts'
import type { Span } from './text-view.ts'

/** A place in a text and the rule that found it. */
export interface Match extends Span {
  readonly rule: CompiledRule
}

/** Matches in the order of the text, without those that lie in placeholders and hold no other text. */
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

/** One rule in one view finds in order already, and then there may be very many. */
function inOrder(matches: readonly Match[]): readonly Match[] {
  const isSorted = matches.every(({ start }, index) => start >= (matches[index - 1]?.start ?? 0))
  return isSorted ? matches : matches.toSorted((a, b) => a.start - b.start || a.end - b.end)
}

/**
 * The regions to replace: matches that overlap or touch are one, named by the rule whose match is the longest and then by
 * the order of the configuration. A placeholder that a match cuts belongs to the region, so that no half of one is left.
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
