import { decodeUtf8, readBytes } from '../http/read-body.ts'
import type { RefusalCode } from '../refusals.ts'

/** A complete answer of another agent. */
export interface ReceivedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** A request to another agent. */
interface OutgoingRequest {
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
type Sent =
  | { readonly ok: true; readonly value: ReceivedAnswer }
  | { readonly ok: false; readonly code: RefusalCode; readonly cause: unknown }

/** Sends a request and reads the answer. Failures are values; it does not throw for them. */
export async function sendRequest(request: OutgoingRequest): Promise<Sent> {
  // Outside the try: a body that cannot be encoded is a programming error, not a failed dependency.
  const body = request.body === undefined ? null : JSON.stringify(request.body)
  const timeout = AbortSignal.timeout(request.timeoutMs)
  try {
    return await exchange({ ...request, body }, AbortSignal.any([timeout, request.signal]))
  } catch (cause) {
    const code = timeout.aborted ? 'DEPENDENCY_TIMEOUT' : 'DEPENDENCY_UNAVAILABLE'
    return { ok: false, code, cause }
  }
}

async function exchange(
  request: OutgoingRequest & { body: string | null },
  signal: AbortSignal,
): Promise<Sent> {
  const { url, method, headers, body } = request
  const response = await request.fetch(url, {
    method,
    headers,
    signal,
    // A redirect would send the token to an address that is not configured.
    redirect: 'manual',
    body,
  })
  const bytes = await readBytes(response.body, request.maxResponseBytes)
  // Not awaited: a peer that keeps sending must not delay this call.
  if (bytes === undefined) response.body?.cancel().catch(() => undefined)
  const text = bytes && decodeUtf8(bytes)
  if (text === undefined) return { ok: false, code: 'DEPENDENCY_INVALID_RESPONSE', cause: undefined }
  return { ok: true, value: { status: response.status, headers: response.headers, body: text } }
}
