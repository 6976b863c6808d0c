import type { TextRedactor } from './redact-text.ts'
import { rewriteJson } from './rewrite-json.ts'

// Deeper ones are treated as text, whose escapes are read at any depth; only their form may suffer.
const MAX_NESTING = 3
// A failed attempt costs an exception. After so many in one body a string is no longer tried as a document.
const MAX_FAILURES = 1000
// Below this length JSON has no room for anything but what the text itself shows.
const SHORTEST_DOCUMENT = 8
const BRACKETS: ReadonlySet<string> = new Set(['{}', '[]', '""'])

/**
 * Makes a redactor for values that may hold JSON of their own, as tool calls of language models do. Such a value is
 * treated member by member, so that it stays JSON, and then as text like any other. One redactor serves one body.
 */
export function createNestedRedactor(redact: TextRedactor): TextRedactor {
  let failures = 0

  function redactDocument(text: string, hint: string, nesting: number): ReturnType<TextRedactor> {
    const result = rewriteJson(text, { value: valueAt(nesting + 1), text: redact }, hint)
    if (typeof result === 'string') return result
    if (result.type === 'rejected') return { type: 'rejected', rule: result.rule }
    failures++
    return text
  }

  function valueAt(nesting: number): TextRedactor {
    if (nesting > MAX_NESTING) return redact
    return function redactValue(text, hint) {
      if (failures >= MAX_FAILURES || !looksLikeDocument(text)) return redact(text, hint)
      const treated = redactDocument(text, hint, nesting)
      return typeof treated === 'string' ? redact(treated, hint) : treated
    }
  }

  return valueAt(1)
}

function looksLikeDocument(text: string): boolean {
  if (text.length < SHORTEST_DOCUMENT) return false
  const trimmed = text.trim()
  return BRACKETS.has(trimmed.charAt(0) + trimmed.charAt(trimmed.length - 1))
}
