import { isUtf8 } from 'node:buffer'
import { hexAt } from './hex-value.ts'
import type { Rejection, TextRedactor } from './redact-text.ts'

const ESCAPE = /%[0-9A-Fa-f]{2}/
const ESCAPES = /%([0-7][0-9A-Fa-f])/g
const HIGH_ESCAPE = /%[89A-Fa-f][0-9A-Fa-f]/

/** How names and values are treated. */
export interface FormTreatment {
  readonly value: TextRedactor
  readonly text: TextRedactor
}

/** The form as it may go on (the same string when nothing was found), or why it may not. */
export type FormResult = string | Rejection | { readonly type: 'malformed' }

/** Treats the names and values of a form; fields in which nothing is found keep their very bytes. */
export function rewriteForm(source: string, treatment: FormTreatment): FormResult {
  const fields = source.split('&')
  for (const [index, field] of fields.entries()) {
    const treated = treatField(field, treatment)
    if (typeof treated !== 'string') return treated
    fields[index] = treated
  }
  return fields.join('&')
}

function treatField(field: string, { value, text }: FormTreatment): FormResult {
  const equals = field.indexOf('=')
  const rawName = equals === -1 ? field : field.slice(0, equals)
  const name = decode(rawName)
  if (name === undefined) return { type: 'malformed' }
  const treatedName = treatPart(rawName, name, text(name, ''))
  if (equals === -1 || typeof treatedName !== 'string') return treatedName
  const rawValue = field.slice(equals + 1)
  const decoded = decode(rawValue)
  if (decoded === undefined) return { type: 'malformed' }
  const treatedValue = treatPart(rawValue, decoded, value(decoded, name))
  return typeof treatedValue === 'string' ? `${treatedName}=${treatedValue}` : treatedValue
}

function treatPart(raw: string, decoded: string, treated: string | Rejection): string | Rejection {
  if (typeof treated !== 'string') return treated
  return treated === decoded ? raw : encodeURIComponent(treated).replaceAll('%20', '+')
}

/** The text of a name or value; undefined when its bytes are not UTF-8. */
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

/** Reads `%` escapes in a text that has one character per byte; a sign that starts no escape stays (URL Standard, 1.3). */
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
