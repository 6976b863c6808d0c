import { isUtf8 } from 'node:buffer'
import { MAX_JSON_DEPTH } from '@agentic-rest/profile'
import type { BodyKind } from './body-kind.ts'
import type { Redactions, RedactionTally, Rejection, TextRedactor } from './redact-text.ts'
import { rewriteForm } from './rewrite-form.ts'
import { type JsonRejection, rewriteJson } from './rewrite-json.ts'

/** The result for a body: new bytes, the same bytes, or a fault of the caller and its place. */
export type SanitizedBody =
  | { readonly type: 'changed'; readonly bytes: Buffer; readonly redactions?: Redactions }
  | { readonly type: 'unchanged' }
  | RefusedBody

/** A body that is not let through. The rule or the cause is for the operator, the other two are for the caller. */
export interface RefusedBody {
  readonly type: 'refused'
  readonly field: string
  readonly message: string
  readonly rule?: string
  readonly cause?: string
}

type Rewritten = string | Rejection | JsonRejection | { readonly type: 'malformed' | 'too_deep' }

const BODY = 'body'
const LONGEST_POINTER = 1024

// Deeper documents are redacted as text. Their escapes are decoded at any depth; only their form may break.
const MAX_NESTING = 3
// A failed attempt costs an exception. After this many in one body, no string is parsed as a document.
const MAX_FAILURES = 1000
// A shorter document shows no value that its text does not show.
const SHORTEST_DOCUMENT = 8
const BRACKETS: ReadonlySet<string> = new Set(['{}', '[]', '""'])

/** A redactor and the tally that counts its redactions. */
export interface CountedRedactor {
  readonly redact: TextRedactor
  readonly tally: RedactionTally
}

/** Sanitizes a whole body and counts what is redacted. */
export function sanitizeCounted(
  bytes: Buffer,
  kind: BodyKind,
  { redact, tally }: CountedRedactor,
): SanitizedBody {
  // What an inspection that failed has counted is not of this body.
  tally.take()
  const result = sanitizeBody(bytes, kind, redact)
  return result.type === 'changed' ? { ...result, redactions: tally.take() } : result
}

/** Sanitizes a whole body with the rules of `redact`. */
export function sanitizeBody(bytes: Buffer, kind: BodyKind, redact: TextRedactor): SanitizedBody {
  if (!isUtf8(bytes)) return notReadable('NOT_UTF8', 'The body must be UTF-8.')
  const text = bytes.toString()
  const rewritten = rewrite(text, kind, redact)
  if (typeof rewritten !== 'string') return refusedBy(rewritten, kind)
  return rewritten === text ? { type: 'unchanged' } : { type: 'changed', bytes: Buffer.from(rewritten) }
}

function rewrite(text: string, kind: BodyKind, redact: TextRedactor): Rewritten {
  const redactors = { value: createNestedRedactor(redact), text: redact }
  switch (kind) {
    case 'json':
      return rewriteJson(text, redactors)
    case 'lines':
      return rewriteLines(text, redactors.value)
    case 'form':
      return rewriteForm(text, redactors)
    case 'text':
      return redactors.value(text, '')
  }
}

/** Sanitizes every line separately, so that each stays a document. */
function rewriteLines(text: string, redactLine: TextRedactor): string | Rejection {
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const redacted = redactLine(line, '')
    if (typeof redacted !== 'string') return redacted
    lines[index] = redacted
  }
  return lines.join('\n')
}

/** The answer names the fault and its place, never the matched value. */
function refusedBy(stop: Exclude<Rewritten, string>, kind: BodyKind): SanitizedBody {
  switch (stop.type) {
    case 'malformed':
      return kind === 'json'
        ? notReadable('NOT_JSON', 'The body must be valid JSON.')
        : notReadable('NOT_UTF8', 'The body must be UTF-8.')
    case 'too_deep':
      return notReadable('TOO_DEEP', `The body must not be nested deeper than ${MAX_JSON_DEPTH} levels.`)
    case 'rejected':
      return { type: 'refused', field: fieldOf(stop), message: notAllowed(stop.rule), rule: stop.rule }
  }
}

/** The message of a rejection; it never repeats the matched text. */
export function notAllowed(rule: string): string {
  return `The value is not allowed here by the rule "${rule}".`
}

/** The empty pointer of a whole document names nothing; a very long one would only repeat the body. */
function fieldOf(rejection: Rejection | JsonRejection): string {
  const pointer = 'pointer' in rejection ? rejection.pointer : ''
  return pointer === '' || pointer.length > LONGEST_POINTER ? BODY : pointer
}

function notReadable(cause: string, message: string): RefusedBody {
  return { type: 'refused', field: BODY, message, cause }
}

/**
 * Creates a redactor for values that may contain JSON, such as the tool calls of language models. It redacts such a value
 * member by member, so that it stays JSON, and then as text like any other. One redactor serves one body.
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
      const redacted = redactDocument(text, hint, nesting)
      return typeof redacted === 'string' ? redact(redacted, hint) : redacted
    }
  }

  return valueAt(1)
}

function looksLikeDocument(text: string): boolean {
  if (text.length < SHORTEST_DOCUMENT) return false
  const trimmed = text.trim()
  return BRACKETS.has(trimmed.charAt(0) + trimmed.charAt(trimmed.length - 1))
}
