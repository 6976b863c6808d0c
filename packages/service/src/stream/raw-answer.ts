import {
  EVENT_STREAM_TYPE,
  headers,
  mediaTypeEssence,
  PROFILE_VERSION,
  type Trace,
} from '@agentic-rest/profile'
import { type Answer, addedHeaders } from '../answer.ts'
import type { Log } from '../log.ts'
import { observeEnd, type StreamEnd } from './raw.ts'
import { streamHeaders } from './streamed-answer.ts'

interface Passing {
  readonly trace: Trace
  readonly headers: Answer['headers']
  readonly method: string
  readonly log: Log
}

/** A foreign answer in the headers of this service, and the fields of its audit record once it has ended. */
export function passRaw(
  { status, body, headers: foreign }: Response,
  { trace, headers: own, method, log }: Passing,
): { readonly response: Response; readonly end: Promise<Readonly<Record<string, string>>> } {
  const startedAt = performance.now()
  const { promise, resolve } = Promise.withResolvers<StreamEnd>()
  const contentType = foreign.get(headers.contentType) ?? 'application/octet-stream'
  const isStream = mediaTypeEssence(contentType) === EVENT_STREAM_TYPE
  const head = isStream ? streamHeaders(trace, own) : plainHeaders(trace, own)
  const isSent = body !== null && method !== 'HEAD'
  if (!isSent) {
    body?.cancel().catch(() => undefined)
    resolve('complete')
  }
  const onEnd = (end: StreamEnd, cause?: unknown) => {
    if (end === 'error') log.error('a foreign stream broke off', { cause })
    resolve(end)
  }
  return {
    // Lengths and encodings of the foreign answer do not describe this one: its body was decoded.
    response: new Response(isSent ? observeEnd(body, onEnd) : null, {
      status,
      headers: { ...head, [headers.contentType]: contentType },
    }),
    end: promise.then((end) => ({ end, duration_ms: String(Math.round(performance.now() - startedAt)) })),
  }
}

function plainHeaders({ correlationId, requestId }: Trace, own: Answer['headers']): Record<string, string> {
  return {
    ...addedHeaders(own),
    [headers.profile]: PROFILE_VERSION,
    [headers.correlationId]: correlationId,
    [headers.requestId]: requestId,
  }
}
