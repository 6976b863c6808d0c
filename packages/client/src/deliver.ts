import { conditions, headers, type Trace } from '@agentic-rest/profile'
import { buildHeaders } from './build-headers.ts'
import type { ClientRequest } from './client-request.ts'
import { untilAborted } from './clock.ts'
import { createId } from './create-id.ts'
import type { Deadline } from './deadline.ts'
import { TransportError } from './errors.ts'
import type { Settings, TokenSource } from './settings.ts'

/** A request without its token and its request id. */
export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: string | undefined
}

/** A response with an unread body, and the ids of the request. */
export interface Delivered {
  readonly response: Response
  readonly sent: Trace
}

/** Prepares a request. Invalid parts throw a `TypeError` here, not a network error later. */
export function prepare(settings: Settings, request: ClientRequest, url: URL): Outgoing {
  const method = request.method.toUpperCase()
  if (!/^[A-Z]+$/.test(method)) throw new TypeError(`"${method}" is not a method`)
  return { url, method, headers: buildHeaders(settings, request), body: writeBody(method, request.body) }
}

function writeBody(method: string, body: unknown): string | undefined {
  if (body === undefined) return undefined
  if (method === 'GET' || method === 'HEAD') throw new TypeError(`a ${method} request has no body`)
  const text: string | undefined = JSON.stringify(body)
  if (text === undefined) throw new TypeError('body cannot be written as JSON')
  return text
}

/** Sends a request; sends it again with a new token if the first one is rejected. */
export async function deliver(
  settings: Settings,
  outgoing: Outgoing,
  deadline: Deadline,
): Promise<Delivered> {
  const { token } = settings
  if (token === undefined || outgoing.headers.has(headers.authorization))
    return sendOnce(settings, outgoing, { deadline })
  const first = await askFor(token, deadline)
  const delivered = await sendOnce(settings, outgoing, { deadline, token: first })
  // A 401 comes before any effect (decision 4), so a retry is safe for every method.
  if (typeof token === 'string' || delivered.response.status !== conditions.unauthenticated) return delivered
  const second = await askFor(token, deadline, first)
  if (!second || second === first) return delivered
  delivered.response.body?.cancel().catch(() => undefined)
  return sendOnce(settings, outgoing, { deadline, token: second })
}

/** Errors of the caller's functions are thrown unchanged. */
async function askFor(
  source: TokenSource,
  deadline: Deadline,
  rejected?: string,
): Promise<string | undefined> {
  if (typeof source === 'string') return source
  try {
    return await untilAborted(source(rejected), deadline.signal)
  } catch (error) {
    throw error instanceof TransportError ? deadline.failure(error) : error
  }
}

interface Sending {
  readonly deadline: Deadline
  readonly token?: string | undefined
}

async function sendOnce(
  settings: Settings,
  { url, method, headers: fields, body }: Outgoing,
  { deadline, token }: Sending,
): Promise<Delivered> {
  const own = new Headers(fields)
  if (token) own.set(headers.authorization, `Bearer ${token}`)
  if (!own.get(headers.requestId)) own.set(headers.requestId, createId())
  const sent = sentTrace(own)
  const { fetch } = settings
  try {
    const response = await fetch(url.href, {
      method,
      headers: own,
      body: body ?? null,
      signal: deadline.signal,
      // A redirect could send the token to another origin.
      redirect: 'manual',
      // A status that is polled must not come from a cache.
      cache: 'no-store',
    })
    return { response, sent }
  } catch (cause) {
    throw deadline.failure(cause, sent)
  }
}

function sentTrace(fields: Headers): Trace {
  return {
    correlationId: fields.get(headers.correlationId) ?? '',
    requestId: fields.get(headers.requestId) ?? '',
  }
}
