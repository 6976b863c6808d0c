import { hash } from 'node:crypto'

/** The span in a caller's `traceparent`. */
export interface RemoteSpan {
  readonly traceId: string
  readonly spanId: string
  readonly traceFlags: number
}

const UUID_LENGTH = 36
const HYPHENS = [8, 13, 18, 23] as const
const HYPHEN = 0x2d
const NIL_UUID = '00000000-0000-0000-0000-000000000000'
const HEXADECIMAL = /[0-9a-f]/i
const UPPER_CASE = /[A-F]/
const isHexadecimal = Uint8Array.from({ length: 256 }, (_, code) =>
  HEXADECIMAL.test(String.fromCharCode(code)) ? 1 : 0,
)
const ZEROS = /^0+$/
const NO_TRACE = '0'.repeat(32)
// Versions after 00 may append fields; 00 itself has exactly these four, and ff is not a version.
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The trace id of a correlation id, the same in every program, so that spans join: the bytes of a UUID, otherwise the first 16 bytes of its SHA-256 (decision 23). */
export function traceIdOf(correlationId: string): string {
  // The nil UUID is the invalid trace id.
  if (!isUuid(correlationId) || correlationId === NIL_UUID) return digest(correlationId)
  const digits = withoutHyphens(correlationId)
  return UPPER_CASE.test(correlationId) ? digits.toLowerCase() : digits
}

/** A regular expression takes twice as long, and every request needs a trace id. */
function isUuid(text: string): boolean {
  if (text.length !== UUID_LENGTH) return false
  let start = 0
  for (const hyphen of HYPHENS) {
    if (text.charCodeAt(hyphen) !== HYPHEN || !areDigits(text, start, hyphen)) return false
    start = hyphen + 1
  }
  return areDigits(text, start, UUID_LENGTH)
}

function areDigits(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (isHexadecimal[text.charCodeAt(at)] !== 1) return false
  return true
}

/** `replaceAll` takes twice as long. */
function withoutHyphens(uuid: string): string {
  return uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(14, 18) + uuid.slice(19, 23) + uuid.slice(24)
}

/** Reads a `traceparent` header; `undefined` unless it is one valid value. */
export function readTraceparent(header: string | undefined): RemoteSpan | undefined {
  const match = header === undefined ? null : TRACEPARENT.exec(header)
  if (match === null) return undefined
  const [, version, traceId = '', spanId = '', flags = '', rest] = match
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined
  if (version === '00' && rest !== undefined) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) }
}

function digest(text: string): string {
  const hex = hash('sha256', text, 'hex').slice(0, NO_TRACE.length)
  return hex === NO_TRACE ? `${hex.slice(1)}1` : hex
}

/** A time of OpenTelemetry: whole seconds and nanoseconds. */
export type SpanTime = [seconds: number, nanoseconds: number]

/** The time of milliseconds since the epoch, or a duration. */
export function spanTime(milliseconds: number): SpanTime {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.floor((milliseconds - seconds * 1000) * 1_000_000)]
}

/** The origin of spans, in the form of the OpenTelemetry SDK. */
export interface SpanResource {
  readonly attributes: { readonly 'service.name': string }
  merge(): SpanResource
  getRawAttributes(): [string, string][]
}

/** The members that are the same for all spans of a program: made by hand from finished records. */
export function spanOrigin(serviceName: string, scope: string) {
  const attributes = { 'service.name': serviceName }
  const resource: SpanResource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return {
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: scope },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}
