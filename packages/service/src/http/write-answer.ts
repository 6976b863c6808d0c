import { headers, type Trace, type WrittenOutcome, writeOutcome } from '@agentic-rest/profile'
import type { Answer } from '../answer.ts'

const OWN_HEADERS = new Set<string>(
  [headers.contentType, headers.profile, headers.correlationId, headers.requestId].map((name) =>
    name.toLowerCase(),
  ),
)

/** An answer as status, headers and text. The profile's own headers win over those of an operation. */
export function writeAnswer({ outcome, headers: more }: Answer, trace: Trace): WrittenOutcome {
  const written = writeOutcome(outcome, trace)
  const added = Object.entries(more).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()))
  return { ...written, headers: { ...Object.fromEntries(added), ...written.headers } }
}

/** The response for what was written; the answer to HEAD has no body. */
export function toResponse({ status, headers: all, body }: WrittenOutcome, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers: all })
}
