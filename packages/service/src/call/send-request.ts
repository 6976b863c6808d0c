import { decodeUtf8, readBytes } from '../http/read-body.ts'
import type { RefusalCode } from '../refusals.ts'

/** A complete answer of another agent. */
export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A request to another agent. */
export interface OutgoingRequest {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body?: unknown
  readonly fetch: typeof fetch
  readonly timeoutMs: number
  readonly maxResponseBytes: number
  readonly signal: AbortSignal
}

/** An answer, or the reason why there is none. */
export type Sent = { readonly ok: true; readonly value: ReceivedAnswer } | Unsent

/** The reason why there is no answer. */
export interface Unsent {
  readonly ok: false
  readonly code: RefusalCode
  readonly cause: unknown
}

/** Sends a request and reads the answer. Failures are values; it does not throw for them. */
export async function sendRequest(request: OutgoingRequest): Promise<Sent> {
  const body = bodyText(request)
  const timeout = AbortSignal.timeout(request.timeoutMs)
  try {
    const response = await openRequest({ ...request, body }, AbortSignal.any([timeout, request.signal]))
    return await readWhole(response, request.maxResponseBytes)
  } catch (cause) {
    const code = timeout.aborted ? 'DEPENDENCY_TIMEOUT' : 'DEPENDENCY_UNAVAILABLE'
    return { ok: false, code, cause }
  }
}

/** The body of a request. One that cannot be encoded throws: it is a programming error, not a failed dependency. */
export function bodyText({ body }: Pick<OutgoingRequest, 'body'>): string | null {
  return body === undefined ? null : JSON.stringify(body)
}

/** Sends a request; resolves with the head of its answer. */
export function openRequest(
  { url, method, headers, body, fetch }: OutgoingRequest & { body: string | null },
  signal: AbortSignal,
): Promise<Response> {
  return fetch(url, {
    method,
    headers,
    signal,
    // A redirect would send the token to an address that is not configured.
    redirect: 'manual',
    body,
  })
}

/** Reads an answer to its end. */
export async function readWhole(response: Response, maxResponseBytes: number): Promise<Sent> {
  const bytes = await readBytes(response.body, maxResponseBytes)
  // Not awaited: a peer that keeps sending must not delay this call.
  if (bytes === undefined) response.body?.cancel().catch(() => undefined)
  const text = bytes && decodeUtf8(bytes)
  if (text === undefined) return { ok: false, code: 'DEPENDENCY_INVALID_RESPONSE', cause: undefined }
  return { ok: true, value: { status: response.status, headers: response.headers, body: text } }
}
