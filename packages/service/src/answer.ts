import { headers, type Outcome, type Trace, type WrittenOutcome, writeOutcome } from '@agentic-rest/profile'

/** An outcome with the headers that belong to it. */
export interface Answer {
  readonly outcome: Outcome
  readonly headers: Readonly<Record<string, string>>
}

/** The result of a step of a request: a value for the next step, or the answer that ends it here. */
export type Step<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly answer: Answer }

/** The request goes on with a value. */
export function goOn<Value>(value: Value): Step<Value> {
  return { ok: true, value }
}

/** The request ends with an outcome. */
export function endWith(outcome: Outcome, headers: Answer['headers'] = {}): Step<never> {
  return { ok: false, answer: { outcome, headers } }
}

// Where a message ends and what becomes of its connection is for the server to say (RFC 9112, section 6).
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

/** An answer as status, headers and text. The profile's own headers and those of the framing win over those of an operation. */
export function writeAnswer({ outcome, headers: more }: Answer, trace: Trace): WrittenOutcome {
  const written = writeOutcome(outcome, trace)
  const added = Object.entries(more).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
  return { ...written, headers: { ...Object.fromEntries(added), ...written.headers } }
}

/** The response for what was written; the answer to HEAD has no body. */
export function toResponse({ status, headers: all, body }: WrittenOutcome, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers: all })
}
