import { type HeaderSource, headers, headerValue } from './headers.ts'

/** The two ids of an exchange; part of every vendor-typed body. */
export interface Trace {
  readonly correlationId: string
  readonly requestId: string
}

/** The trace ids in the request headers, and the headers with invalid values. */
export interface RequestTrace {
  readonly correlationId: string | undefined
  readonly requestId: string | undefined
  readonly invalidHeaders: readonly string[]
}

// Printable ASCII, 1 to 256 characters: safe in a header, a log line and a URL.
const IDENTIFIER = /^[\x20-\x7e]{1,256}$/

/** Whether a value is a valid correlation or request id. */
export function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' && IDENTIFIER.test(value)
}

/** Reads the trace ids of a request; an empty header counts as absent. */
export function readTrace(source: HeaderSource): RequestTrace {
  const invalidHeaders: string[] = []
  const read = (name: string): string | undefined => {
    const value = headerValue(source, name)
    if (value === undefined || value === '') return undefined
    if (!isIdentifier(value)) invalidHeaders.push(name)
    return value
  }
  return { correlationId: read(headers.correlationId), requestId: read(headers.requestId), invalidHeaders }
}

/** Whether a value is an object with two non-empty ids. */
export function isTrace(value: unknown): value is Trace {
  if (typeof value !== 'object' || value === null) return false
  const { correlationId, requestId } = value as Record<string, unknown>
  return isNonEmptyString(correlationId) && isNonEmptyString(requestId)
}

/** Whether a value is exactly a trace. In a body of the service, an object with more members is not a trace. */
export function isBareTrace(value: unknown): value is Trace {
  return isTrace(value) && Object.keys(value).length === 2
}

/** Compares the `trace` of a body with the forwarded ids (gateway rules 3 and 4). */
export function compareTrace(value: unknown, expected: Trace): 'match' | 'missing' | 'mismatch' {
  if (!isTrace(value)) return 'missing'
  const same = value.correlationId === expected.correlationId && value.requestId === expected.requestId
  return same ? 'match' : 'mismatch'
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
