import { codedError, memoize } from '@agentic-rest/http1'
import {
  compareTrace,
  headerKeys,
  isVendorType,
  mediaTypeEssence,
  outcomeViolations,
  parseJson,
  type Violation,
} from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { causeOf, refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { loadZlib } from '../node-on-demand.ts'
import { type CollectedBody, collectBody, type UpstreamAnswer } from './dispatch.ts'
import { joinedHeader } from './returned-headers.ts'

/** An answer for the client; `bytes` is its body if the check had to read it. */
export interface CheckedAnswer {
  readonly answer: UpstreamAnswer
  readonly essence: string | undefined
  /** The answer is an event stream of a route with `mode: sse`. */
  readonly isEventStream: boolean
  readonly bytes: Buffer | undefined
}

/** The result of the check: the answer, or the outcome that replaces it. */
export type Checked = { readonly checked: CheckedAnswer } | { readonly refused: NonNullable<StepResult> }

/** Checks an upstream's answer against the profile: the trace always, the rest by the route's `conformance`. */
export function checkResponse(
  exchange: Exchange,
  route: RouteConfig,
  { answer, maxBytes }: { readonly answer: UpstreamAnswer; readonly maxBytes: number },
): Checked | Promise<Checked> {
  const essence = answerType(answer.rawHeaders)
  if (!isVendorType(essence) || !mayHaveBody(exchange, answer)) {
    const isStream = route.mode === 'sse' && essence === 'text/event-stream'
    // Streams have rules of their own.
    const violations = isStream ? [] : outcomeViolations({ status: answer.status, essence })
    const isEventStream = isStream && mayHaveBody(exchange, answer)
    return judge(exchange, route, {
      checked: { answer, essence, isEventStream, bytes: undefined },
      violations,
    })
  }
  const check = (collected: CollectedBody): Checked => {
    // The end of a cancelled exchange's body is not the upstream's fault.
    exchange.signal.throwIfAborted()
    // Never refused for its size: the service has done its work. It leaves less room for requests.
    if ('bytes' in collected) exchange.heldBytes?.add(collected.bytes.length)
    if ('problem' in collected) {
      exchange.cause =
        collected.problem === 'too_large' ? 'TOO_LARGE' : (causeOf(collected.error) ?? 'CUT_OFF')
      return { refused: refusal(problemCode(collected.problem)) }
    }
    return checkVendorBody(exchange, route, { answer, essence, bytes: collected.bytes, maxBytes })
  }
  const collecting = collectBody(answer.body, maxBytes)
  return collecting instanceof Promise ? collecting.then(check) : check(collecting)
}

function checkVendorBody(
  exchange: Exchange,
  route: RouteConfig,
  found: Omit<CheckedAnswer, 'isEventStream'> & { readonly bytes: Buffer; readonly maxBytes: number },
): Checked {
  const { answer, essence, bytes } = found
  const body = readVendorBody(bytes, answer.rawHeaders, found.maxBytes)
  if ('fault' in body) {
    exchange.cause = body.fault
    return { refused: refusal('INVALID_AGENTIC_RESPONSE') }
  }
  const trace = compareTrace((body.value as { trace?: unknown } | null)?.trace, exchange.trace)
  if (trace !== 'match') {
    exchange.violations = [`trace_${trace}`]
    return { refused: refusal(trace === 'missing' ? 'TRACE_MISSING' : 'TRACE_MISMATCH') }
  }
  const violations = outcomeViolations({ status: answer.status, essence, body: body.value })
  return judge(exchange, route, { checked: { answer, essence, isEventStream: false, bytes }, violations })
}

/** Reports or refuses violations of the profile, by the route's `conformance`. */
function judge(
  exchange: Exchange,
  route: RouteConfig,
  { checked, violations }: { readonly checked: CheckedAnswer; readonly violations: readonly Violation[] },
): Checked {
  if (violations.length === 0 || route.conformance === 'off') return { checked }
  exchange.violations = [...new Set(violations.map((violation) => violation.rule))]
  if (route.conformance === 'report') return { checked }
  exchange.cause = placeOf(violations[0])
  checked.answer.body.abort()
  return { refused: refusal('PROFILE_VIOLATION') }
}

const LONGEST_PLACE = 256

/** The first violation and its place, such as `#/code is required`. A member that the profile does not know is not named: it is a part of the body. */
function placeOf(violation: Violation | undefined): string | undefined {
  if (violation === undefined) return undefined
  const { rule, pointer, message } = violation
  if (rule === 'schema.additionalProperties')
    return `#${pointer.slice(0, pointer.lastIndexOf('/'))} has a member that is not part of this body`.slice(
      0,
      LONGEST_PLACE,
    )
  return (rule.startsWith('schema.') ? `#${pointer} ${message}` : message).slice(0, LONGEST_PLACE)
}

function problemCode(problem: 'too_large' | 'cut_off') {
  return problem === 'too_large' ? 'INVALID_AGENTIC_RESPONSE' : 'UPSTREAM_INVALID_RESPONSE'
}

/** RFC 9110, section 6.4.1: these answers never have content, even if a header announces it. */
function mayHaveBody({ method }: Exchange, { status }: UpstreamAnswer): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g

/**
 * The media type of an answer: lower case, without parameters. Of several or malformed types it is the one that a client
 * could take for a type of the profile: no typed answer passes unchecked because of its form.
 */
export function answerType(rawHeaders: readonly string[]): string | undefined {
  const value = joinedHeader(rawHeaders, headerKeys.contentType)
  return value === undefined ? undefined : typeIn(value)
}

const typeIn = memoize((value): string | undefined => {
  // Of several types clients take the first or the last (Fetch, "extract a MIME type"); a quoted comma separates none.
  const parts = value.replaceAll(QUOTED, '').toLowerCase().split(',')
  const types = new Set(parts.map((part) => mediaTypeEssence(part) ?? part.trim()))
  const [first, ...others] = types
  return [...types].find(isVendorType) ?? (others.length === 0 ? mediaTypeEssence(first) : undefined)
})

/** The JSON value of a typed body as a client decodes it, or why it cannot be read within the bounds. */
function readVendorBody(
  bytes: Buffer,
  rawHeaders: readonly string[],
  maxBytes: number,
): { readonly value: unknown } | { readonly fault: string } {
  const encoding = joinedHeader(rawHeaders, 'content-encoding')?.trim().toLowerCase() ?? ''
  try {
    const content = decode(bytes, encoding, maxBytes)
    const { value, fault } = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(content))
    return fault ? { fault: fault.reason === 'too_deep' ? 'TOO_DEEP' : 'NOT_JSON' } : { value }
  } catch (error) {
    // The faults of encodings have a code, also that of bytes that are no UTF-8.
    return { fault: causeOf(error) ?? 'UNKNOWN_ENCODING' }
  }
}

/** Decodes one content coding for the check; the client gets the original bytes. A bomb ends at `maxOutputLength`. */
function decode(bytes: Buffer, encoding: string, maxOutputLength: number): Buffer {
  switch (encoding) {
    case '':
    case 'identity':
      return bytes
    case 'gzip':
    case 'x-gzip':
      return loadZlib().gunzipSync(bytes, { maxOutputLength })
    case 'deflate':
      return inflate(bytes, maxOutputLength)
    case 'br':
      return loadZlib().brotliDecompressSync(bytes, { maxOutputLength })
    case 'zstd':
      return loadZlib().zstdDecompressSync(bytes, { maxOutputLength })
    default:
      throw codedError('UNKNOWN_ENCODING', 'an encoding that cannot be read')
  }
}

/** RFC 9110, section 8.4.1.2: some servers leave out the zlib header, and clients accept both forms. */
function inflate(bytes: Buffer, maxOutputLength: number): Buffer {
  const hasHeader = ((bytes[0] ?? 0) & 0x0f) === 8
  const { inflateSync, inflateRawSync } = loadZlib()
  return hasHeader ? inflateSync(bytes, { maxOutputLength }) : inflateRawSync(bytes, { maxOutputLength })
}
