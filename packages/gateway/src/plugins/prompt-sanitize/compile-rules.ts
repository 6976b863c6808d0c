import type { RE2JS } from 're2js'
import type { BuiltinRule, SanitizeRule } from '../../config/config-schema.ts'
import { compilePattern, patternFault } from '../../config/schema/rule-pattern.ts'
import { InitialisationError } from '../../errors.ts'
import { decodedViews } from './decoded-views.ts'
import { apiKey } from './detectors/api-key.ts'
import { creditCard } from './detectors/credit-card.ts'
import { email } from './detectors/email.ts'
import type { Detector } from './detectors/find-matches.ts'
import { iban } from './detectors/iban.ts'
import { ipv4 } from './detectors/ipv4.ts'
import { jwt } from './detectors/jwt.ts'
import { phone } from './detectors/phone.ts'
import { usSsn } from './detectors/us-ssn.ts'
import { isInUuid } from './detectors/uuid.ts'
import { createKeywordReaders, createKeywordSearch, type KeywordReaders } from './keywords.ts'
import type { ViewReader } from './readable-view.ts'
import { NO_SPANS, plainView, type Span, sourceSpan, type TextView } from './text-view.ts'

/** The built-in detectors. */
export const detectors = {
  email,
  phone,
  credit_card: creditCard,
  iban,
  us_ssn: usSsn,
  ipv4,
  jwt,
  api_key: apiKey,
} as const satisfies Record<BuiltinRule, Detector>

/** A text in all forms that rules search. */
export interface Subject {
  readonly source: TextView
  /** The source with plain characters for hidden and look-alike ones; the same object when it has none. */
  readonly readable: TextView
  /** The readable views with decoded escapes and tag characters: none for most texts. */
  readonly decoded: readonly TextView[]
  /** The nearest key, or the name of the form field: it may announce the value. */
  readonly hint: string
}

/** A rule that is ready to search. */
export interface CompiledRule {
  readonly name: string
  /** Its index in the configuration. */
  readonly order: number
  readonly action: SanitizeRule['action']
  /** The replacement of a match. */
  readonly placeholder: string
  /** The length of the shortest plain text with a match. */
  readonly minLength: number
  /** Spans in the source. */
  find(subject: Subject): readonly Span[]
}

/** The rules cannot sanitize a body. The message quotes no part of the body. */
export class CannotSanitizeError extends Error {
  override readonly name = 'CannotSanitizeError'
}

type Search = Pick<CompiledRule, 'minLength' | 'find'>

/** The readers for keywords. All rules share them, because their caches are large. */
interface Readers {
  readonly read: ViewReader
  readonly keywords: KeywordReaders
}

// re2js takes up to a second for a MiB (F9). The limit is twice that, plus a margin for a busy machine.
const FIXED_MILLISECONDS = 250
const MILLISECONDS_PER_UNIT = 0.002

/** Reads a text in every form. */
export function readSubject(text: string, hint: string, read: ViewReader): Subject {
  const source = plainView(text)
  const readable = read(source)
  const decoded = decodedViews(source, readable === source)
  return { source, readable, decoded: decoded.length === 0 ? decoded : decoded.map(read), hint }
}

/** Compiles the rules; throws `InitialisationError` for a rule that can never match. */
export function compileRules(rules: readonly SanitizeRule[], read: ViewReader): CompiledRule[] {
  const readers = { read, keywords: createKeywordReaders() }
  return rules.map((rule, order) => ({
    name: rule.name,
    order,
    action: rule.action,
    placeholder: rule.replacement ?? `[REDACTED:${rule.name}]`,
    ...compileSearch(rule, readers),
  }))
}

function compileSearch(rule: SanitizeRule, readers: Readers): Search {
  if (rule.builtin !== undefined) return detectorSearch(detectors[rule.builtin])
  if (rule.keywords !== undefined) return keywordSearch(rule.name, rule.keywords, readers)
  if (rule.regex !== undefined) return patternSearch(rule.name, rule.regex)
  throw new InitialisationError(`prompt-sanitize: rule ${rule.name} has nothing to look for`)
}

function detectorSearch({ minLength, find: findValues }: Detector): Search {
  function find(text: string, hint: string): readonly Span[] {
    const spans = findValues(text, hint)
    return spans.length === 0 ? spans : spans.filter((span) => !isInUuid(text, span))
  }
  return {
    minLength,
    find({ readable, decoded, hint }) {
      if (decoded.length === 0 && readable.origin === undefined) return find(readable.text, hint)
      return inViews([readable, ...decoded], ({ text }) => find(text, hint))
    },
  }
}

function keywordSearch(name: string, words: readonly string[], { read, keywords: readers }: Readers): Search {
  const search = createKeywordSearch(
    words.map((word) => read(plainView(word)).text),
    readers,
  )
  if (search === undefined) {
    throw new InitialisationError(`prompt-sanitize: rule ${name} has a keyword without a visible character`)
  }
  return {
    // Folding can make a keyword longer: `Straße` becomes `strasse`.
    minLength: 1,
    find: ({ readable, decoded }) =>
      decoded.length === 0 ? search(readable) : [readable, ...decoded].flatMap(search),
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
    // The source too: a pattern may be about the very characters that the other views replace.
    find: ({ source, readable, decoded }) =>
      inViews(readable === source ? [source, ...decoded] : [source, readable, ...decoded], ({ text }) =>
        search(text),
      ),
  }
}

/** Creates the search for a pattern of the configuration; throws `RE2JSException` for unsupported syntax. */
export function createPatternSearch(pattern: string): (text: string) => readonly Span[] {
  const compiled = compilePattern(pattern)
  return (text) => (compiled.test(text) ? findAll(compiled, text) : NO_SPANS)
}

/**
 * The time of all searches is limited in proportion to the text, and the request is refused beyond it. One search is linear
 * in the text, but their sum is not: `a.*z|a` searches to the end for every `a`.
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

/** Only CPU time counts, because a starved thread does no work. The cheaper wall clock is read first. */
function createDeadline(milliseconds: number): () => boolean {
  const wallStart = performance.now()
  const cpuStart = cpuMilliseconds()
  return () => performance.now() - wallStart > milliseconds && cpuMilliseconds() - cpuStart > milliseconds
}

function cpuMilliseconds(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function inViews(views: readonly TextView[], search: (view: TextView) => readonly Span[]): readonly Span[] {
  // Most searches find nothing, and there are many: they allocate no list.
  let found = NO_SPANS
  for (const view of views) {
    const spans = search(view)
    if (spans.length === 0) continue
    const inSource = view.origin === undefined ? spans : spans.map((span) => sourceSpan(view, span))
    found = found.length === 0 ? inSource : [...found, ...inSource]
  }
  return found
}

/** A replacement that a rule would match. */
export interface MatchedReplacement {
  readonly rule: string
  readonly matchedBy: string
}

/**
 * The replacements that some rule matches, to warn the operator. The text of a replacement is never redacted, or redaction
 * would not end; so such a rule does not find that text in the body of a caller either.
 */
export function matchedReplacements(rules: readonly CompiledRule[], read: ViewReader): MatchedReplacement[] {
  return rules.flatMap(({ name, placeholder }) => {
    // Nobody writes the default form by chance.
    if (placeholder === `[REDACTED:${name}]`) return []
    const subject = readSubject(placeholder, '', read)
    return rules
      .filter((rule) => rule.find(subject).length > 0)
      .map((rule) => ({ rule: name, matchedBy: rule.name }))
  })
}
