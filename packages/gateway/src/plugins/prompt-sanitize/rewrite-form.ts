import { isUtf8 } from 'node:buffer'
import { hexAt } from './characters.ts'
import type { Rejection, TextRedactor } from './redact-text.ts'

const ESCAPE = /%[0-9A-Fa-f]{2}/
const ESCAPES = /%([0-7][0-9A-Fa-f])/g
const HIGH_ESCAPE = /%[89A-Fa-f][0-9A-Fa-f]/

/** The redactors for the parts of a form: names are redacted as text. */
export interface FormRedactors {
  readonly value: TextRedactor
  readonly text: TextRedactor
}

/** The rewritten form (the same string without a match), or why it is refused. */
export type FormResult = string | Rejection | { readonly type: 'malformed' }

type PartRedactor = (raw: string, redact: (text: string) => string | Rejection) => FormResult

/** Redacts the names and values of a form; fields without a match keep their bytes. */
export function rewriteForm(source: string, redactors: FormRedactors): FormResult {
  return rewriteFields(source, redactors, redactPart)
}

/** Redacts a query like a form. A plus sign is searched both as a blank and as itself: services read it in either way. */
export function rewriteQuery(source: string, redactors: FormRedactors): FormResult {
  return rewriteFields(source, redactors, redactBothReadings)
}

function rewriteFields(source: string, redactors: FormRedactors, redact: PartRedactor): FormResult {
  const fields = source.split('&')
  for (const [index, field] of fields.entries()) {
    const redacted = redactField(field, redactors, redact)
    if (typeof redacted !== 'string') return redacted
    fields[index] = redacted
  }
  return fields.join('&')
}

function redactField(field: string, { value, text }: FormRedactors, redact: PartRedactor): FormResult {
  const equals = field.indexOf('=')
  const rawName = equals === -1 ? field : field.slice(0, equals)
  const redactedName = redact(rawName, (name) => text(name, ''))
  if (equals === -1 || typeof redactedName !== 'string') return redactedName
  const hint = decode(rawName) ?? ''
  const redactedValue = redact(field.slice(equals + 1), (decoded) => value(decoded, hint))
  return typeof redactedValue === 'string' ? `${redactedName}=${redactedValue}` : redactedValue
}

function redactPart(raw: string, redact: (text: string) => string | Rejection): FormResult {
  const decoded = decode(raw)
  if (decoded === undefined) return { type: 'malformed' }
  const redacted = redact(decoded)
  if (redacted === decoded) return raw
  return typeof redacted === 'string' ? encodeURIComponent(redacted).replaceAll('%20', '+') : redacted
}

function redactBothReadings(raw: string, redact: (text: string) => string | Rejection): FormResult {
  const redacted = redactPart(raw, redact)
  if (typeof redacted !== 'string' || !redacted.includes('+')) return redacted
  const literal = redacted.replaceAll('+', '%2B')
  const again = redactPart(literal, redact)
  return again === literal ? redacted : again
}

/** The text of a name or value; `undefined` when its bytes are not UTF-8. */
function decode(raw: string): string | undefined {
  const spaced = raw.includes('+') ? raw.replaceAll('+', ' ') : raw
  if (!ESCAPE.test(spaced)) return spaced
  if (!HIGH_ESCAPE.test(spaced)) return spaced.replace(ESCAPES, asciiOf)
  const bytes = percentDecoded(Buffer.from(spaced).toString('latin1'))
  return isUtf8(bytes) ? bytes.toString() : undefined
}

function asciiOf(_escape: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16))
}

/** Decodes `%` escapes in a text with one character per byte; a `%` without an escape stays (URL Standard, 1.3). */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.allocUnsafe(text.length)
  let length = 0
  for (let index = 0; index < text.length; ) {
    const escaped = text.charAt(index) === '%' ? hexAt(text, index + 1, 2) : undefined
    bytes[length++] = escaped ?? text.charCodeAt(index)
    index += escaped === undefined ? 1 : 3
  }
  return bytes.subarray(0, length)
}
