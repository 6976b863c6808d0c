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

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
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
  if (!UUID.test(correlationId)) return digest(correlationId)
  const digits = withoutHyphens(correlationId).toLowerCase()
  // The nil UUID is the invalid trace id.
  return digits === NO_TRACE ? digest(correlationId) : digits
}

/** `replaceAll` takes twice as long; every request needs a trace id. */
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
