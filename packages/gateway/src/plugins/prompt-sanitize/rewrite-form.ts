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

/** Redacts the names and values of a form; fields without a match keep their bytes. */
export function rewriteForm(source: string, redactors: FormRedactors): FormResult {
  const fields = source.split('&')
  for (const [index, field] of fields.entries()) {
    const redacted = redactField(field, redactors)
    if (typeof redacted !== 'string') return redacted
    fields[index] = redacted
  }
  return fields.join('&')
}

function redactField(field: string, { value, text }: FormRedactors): FormResult {
  const equals = field.indexOf('=')
  const rawName = equals === -1 ? field : field.slice(0, equals)
  const name = decode(rawName)
  if (name === undefined) return { type: 'malformed' }
  const redactedName = encodePart(rawName, name, text(name, ''))
  if (equals === -1 || typeof redactedName !== 'string') return redactedName
  const rawValue = field.slice(equals + 1)
  const decoded = decode(rawValue)
  if (decoded === undefined) return { type: 'malformed' }
  const redactedValue = encodePart(rawValue, decoded, value(decoded, name))
  return typeof redactedValue === 'string' ? `${redactedName}=${redactedValue}` : redactedValue
}

function encodePart(raw: string, decoded: string, redacted: string | Rejection): string | Rejection {
  if (typeof redacted !== 'string') return redacted
  return redacted === decoded ? raw : encodeURIComponent(redacted).replaceAll('%20', '+')
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
