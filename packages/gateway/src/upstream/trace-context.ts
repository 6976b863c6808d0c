import { hash } from 'node:crypto'
import type { Exchange } from '../exchange.ts'

/** The gateway's span of a request and its trace. */
export interface TraceContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string
  /** The header for the upstream, which makes its spans children of the gateway's (W3C Trace Context). */
  readonly traceparent: string
}

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

/**
 * The trace context of a request. It is computed, not stored: forwarding and export get the same one at different
 * times, with any exporter. The flag is always "sampled", because no audit record is left out.
 */
export function traceContext({ trace, spanId }: Pick<Exchange, 'trace' | 'spanId'>): TraceContext {
  const traceId = traceIdOf(trace.correlationId)
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-01` }
}

/** The trace id of a correlation id: the bytes of a UUID, otherwise the first 16 bytes of its SHA-256 (decision 23). */
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
