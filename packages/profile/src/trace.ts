import { type HeaderSource, headers, headerValue } from './headers.ts'

/** The two identifiers that tie an answer to its request; part of every vendor-typed body. */
export interface Trace {
  readonly correlationId: string
  readonly requestId: string
}

/** What the request headers say of the trace: ids that were sent, and headers whose value is not acceptable. */
export interface RequestTrace {
  readonly correlationId: string | undefined
  readonly requestId: string | undefined
  readonly invalidHeaders: readonly string[]
}

// Printable ASCII, 1 to 256 characters: what can be put into a header, a log line and a URL without harm.
const IDENTIFIER = /^[\x20-\x7e]{1,256}$/

/** Whether a value may be used as a correlation or request id. */
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

/** Whether a value is a trace and nothing else: in a service's own body anything more is the service's own. */
export function isBareTrace(value: unknown): value is Trace {
  return isTrace(value) && Object.keys(value).length === 2
}

/** Compares the `trace` member of a body with the ids that were propagated (gateway rules 3 and 4). */
export function compareTrace(value: unknown, expected: Trace): 'match' | 'missing' | 'mismatch' {
  if (!isTrace(value)) return 'missing'
  const same = value.correlationId === expected.correlationId && value.requestId === expected.requestId
  return same ? 'match' : 'mismatch'
}

function isNonEmptyString(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
