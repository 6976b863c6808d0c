import { headers, type Outcome, type Trace, type WrittenOutcome, writeOutcome } from '@agentic-rest/profile'

/** An outcome and its headers. */
export interface Answer {
  readonly outcome: Outcome
  readonly headers: Readonly<Record<string, string>>
  /** A foreign answer that is passed on instead of the outcome. */
  readonly raw?: Response
}

/** The result of one step of a request: a value for the next step, or the final answer. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: Answer }

/** Continues the request with a value. */
export function goOn<Value>(value: Value): Step<Value> {
  return { ok: true, value }
}

/** Ends the request with an outcome. */
export function endWith(outcome: Outcome, own: Answer['headers'] = {}): Step<never> {
  return { ok: false, answer: { outcome, headers: own } }
}

// Only the server decides about message framing and connections (RFC 9112, section 6).
const FRAMING_HEADERS = [
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'trailer',
  'upgrade',
]

const OWN_HEADERS = new Set<string>([
  ...FRAMING_HEADERS,
  ...[headers.contentType, headers.profile, headers.correlationId, headers.requestId].map((name) =>
    name.toLowerCase(),
  ),
])

/** The headers that an operation adds. It cannot set those of the profile or of the framing. */
export function addedHeaders(own: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())))
}

/** Encodes an answer. */
export function writeAnswer({ outcome, headers: own }: Answer, trace: Trace): WrittenOutcome {
  const written = writeOutcome(outcome, trace)
  return { ...written, headers: { ...addedHeaders(own), ...written.headers } }
}

/** Makes the response. The response to HEAD has no body. */
export function toResponse({ status, headers: all, body }: WrittenOutcome, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers: all })
}
