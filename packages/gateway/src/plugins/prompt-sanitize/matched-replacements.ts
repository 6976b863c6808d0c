import type { CompiledRule } from './compile-rules.ts'
import type { ViewReader } from './readable-view.ts'
import { readSubject } from './subject.ts'

/** A replacement that a rule would find, if replacements were searched. */
export interface MatchedReplacement {
  readonly rule: string
  readonly matchedBy: string
}

/**
 * Replacements that some rule matches. What is written like a replacement is left alone wherever it comes from, or
 * redaction would never end; so such a rule does not find that text in a caller's body either, and the operator should know.
 */
export function matchedReplacements(rules: readonly CompiledRule[], read: ViewReader): MatchedReplacement[] {
  return rules.flatMap(({ name, placeholder }) => {
    // The form that nobody writes by chance.
    if (placeholder === `[REDACTED:${name}]`) return []
    const subject = readSubject(placeholder, '', read)
    return rules
      .filter((rule) => rule.find(subject).length > 0)
      .map((rule) => ({ rule: name, matchedBy: rule.name }))
  })
}
