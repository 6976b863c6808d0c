import { isUtf8 } from 'node:buffer'
import type { BodyKind } from './body-kind.ts'
import { createNestedRedactor } from './redact-nested.ts'
import type { Rejection, TextRedactor } from './redact-text.ts'
import { rewriteForm } from './rewrite-form.ts'
import { type JsonRejection, MAX_DEPTH, rewriteJson } from './rewrite-json.ts'

/** What became of a body: other bytes, the same bytes, or a fault of the caller at a place of the body. */
export type SanitizedBody =
  | { readonly type: 'changed'; readonly bytes: Buffer }
  | { readonly type: 'unchanged' }
  | { readonly type: 'refused'; readonly field: string; readonly message: string }

const BODY = 'body'
const LONGEST_POINTER = 1024

type Treated = string | Rejection | JsonRejection | { readonly type: 'malformed' | 'too_deep' }

/** Treats a whole body with the rules of `redact`. */
export function sanitizeBody(bytes: Buffer, kind: BodyKind, redact: TextRedactor): SanitizedBody {
  if (!isUtf8(bytes)) return refused(BODY, 'The body must be UTF-8.')
  const text = bytes.toString()
  const treated = treat(text, kind, redact)
  if (typeof treated !== 'string') return refusedBy(treated, kind)
  return treated === text ? { type: 'unchanged' } : { type: 'changed', bytes: Buffer.from(treated) }
}

function treat(text: string, kind: BodyKind, redact: TextRedactor): Treated {
  const treatment = { value: createNestedRedactor(redact), text: redact }
  switch (kind) {
    case 'json':
      return rewriteJson(text, treatment)
    case 'lines':
      return rewriteLines(text, treatment.value)
    case 'form':
      return rewriteForm(text, treatment)
    case 'text':
      return treatment.value(text, '')
  }
}

/** Treats every line by itself, so that each stays a document. */
function rewriteLines(text: string, treatLine: TextRedactor): string | Rejection {
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const treated = treatLine(line, '')
    if (typeof treated !== 'string') return treated
    lines[index] = treated
  }
  return lines.join('\n')
}

/** Says what is wrong and where, and never what was found. */
function refusedBy(stop: Exclude<Treated, string>, kind: BodyKind): SanitizedBody {
  switch (stop.type) {
    case 'malformed':
      return refused(BODY, kind === 'json' ? 'The body must be valid JSON.' : 'The body must be UTF-8.')
    case 'too_deep':
      return refused(BODY, `The body must not be nested deeper than ${MAX_DEPTH} levels.`)
    case 'rejected':
      return refused(fieldOf(stop), `The value is not allowed here by the rule "${stop.rule}".`)
  }
}

/** The whole document has an empty pointer, which would name nothing; a very long one would only repeat the body. */
function fieldOf(rejection: Rejection | JsonRejection): string {
  const pointer = 'pointer' in rejection ? rejection.pointer : ''
  return pointer === '' || pointer.length > LONGEST_POINTER ? BODY : pointer
}

function refused(field: string, message: string): SanitizedBody {
  return { type: 'refused', field, message }
}
