import type { SanitizeRule } from '../../config/config-schema.ts'
import { patternFault } from '../../config/schema/rule-pattern.ts'
import { InitialisationError } from '../../errors.ts'
import { detectors } from './detectors.ts'
import { createKeywordMatcher } from './keyword-matcher.ts'
import { createKeywordReader } from './keyword-view.ts'
import { createPatternSearch } from './pattern-search.ts'
import type { ViewReader } from './readable-view.ts'
import type { Subject } from './subject.ts'
import { NO_SPANS, plainView, type Span, sourceSpan, type TextView } from './text-view.ts'

/** A rule that is ready to search. */
export interface CompiledRule {
  readonly name: string
  /** Its place in the configuration. */
  readonly order: number
  readonly action: SanitizeRule['action']
  /** What stands in the place of a match. */
  readonly placeholder: string
  /** No shorter plain text holds a match. */
  readonly minLength: number
  /** Places in the source. */
  find(subject: Subject): readonly Span[]
}

type Search = Pick<CompiledRule, 'minLength' | 'find'>

/** Compiles the rules; throws `InitialisationError` for one that could never act. */
export function compileRules(rules: readonly SanitizeRule[], read: ViewReader): CompiledRule[] {
  const readers = { read, readForKeywords: createKeywordReader() }
  return rules.map((rule, order) => ({
    name: rule.name,
    order,
    action: rule.action,
    placeholder: rule.replacement ?? `[REDACTED:${rule.name}]`,
    ...compileSearch(rule, readers),
  }))
}

/** What keywords are read with before they are compared; all rules share one of each, because they remember a lot. */
interface Readers {
  readonly read: ViewReader
  readonly readForKeywords: ViewReader
}

function compileSearch(rule: SanitizeRule, readers: Readers): Search {
  if (rule.builtin !== undefined) return detectorSearch(detectors[rule.builtin])
  if (rule.keywords !== undefined) return keywordSearch(rule.name, rule.keywords, readers)
  if (rule.regex !== undefined) return patternSearch(rule.name, rule.regex)
  throw new InitialisationError(`prompt-sanitize: rule ${rule.name} has nothing to look for`)
}

function detectorSearch({ minLength, find }: (typeof detectors)[keyof typeof detectors]): Search {
  return {
    minLength,
    find({ readable, unescaped, hint }) {
      if (unescaped === undefined && readable.origin === undefined) return find(readable.text, hint)
      return inViews([readable, unescaped], ({ text }) => find(text, hint))
    },
  }
}

/** Keywords are folded like the text they are looked up in. */
function keywordSearch(name: string, words: readonly string[], { read, readForKeywords }: Readers): Search {
  const keywords = words.map((word) => readForKeywords(read(plainView(word))).text.trim())
  if (keywords.includes('')) {
    throw new InitialisationError(`prompt-sanitize: rule ${name} has a keyword without a visible character`)
  }
  const match = createKeywordMatcher(keywords)
  return {
    // A keyword can be longer folded than as it is written: `Straße` folds to `strasse`.
    minLength: 1,
    find: ({ readable, unescaped }) =>
      inViews([readForKeywords(readable), unescaped && readForKeywords(unescaped)], ({ text }) =>
        match(text),
      ),
  }
}

function patternSearch(name: string, pattern: string): Search {
  const fault = patternFault(pattern)
  if (fault !== undefined) {
    throw new InitialisationError(`prompt-sanitize: the pattern of rule ${name} cannot be used: ${fault}`)
  }
  const search = createPatternSearch(pattern)
  return {
    minLength: 1,
    // The source too: a pattern may be meant for the very characters that the other views make plain.
    find: ({ source, readable, unescaped }) =>
      inViews([source, readable === source ? undefined : readable, unescaped], ({ text }) => search(text)),
  }
}

function inViews(
  views: readonly (TextView | undefined)[],
  search: (view: TextView) => readonly Span[],
): readonly Span[] {
  // Most find nothing, and there are many: no list is made for them.
  let found = NO_SPANS
  for (const view of views) {
    const spans = view === undefined ? NO_SPANS : search(view)
    if (view === undefined || spans.length === 0) continue
    const inSource = view.origin === undefined ? spans : spans.map((span) => sourceSpan(view, span))
    found = found.length === 0 ? inSource : [...found, ...inSource]
  }
  return found
}
