import {
  type HeaderSource,
  headerKeys,
  headers,
  headerValue,
  isIdentifier,
  isObject,
  type OutcomeType,
  outcomeTypeOf,
  parseJson,
  type Trace,
} from '@agentic-rest/profile'
import type { Environment } from '../environment.ts'
import type { HostContext } from '../protocol/tool-host.ts'
import type { ProtocolVersion } from '../protocol/versions.ts'

/** The facts of a call for the audit record. */
export interface CallFacts {
  readonly tool: string
  readonly version: ProtocolVersion
  /** The name that the client gives itself, at most 64 characters. It is not trusted. */
  readonly client: string
  /** The round of the call; the first is 1. */
  readonly round: number
}

/** A request to a route of the gateway, made for a call. */
export interface InnerRequest {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The JSON text of the body. */
  readonly body: string | undefined
  readonly signal: AbortSignal
  readonly facts: CallFacts
  /** The embedding server's own object for the request of the client. */
  readonly source: unknown
}

/** One event of a streamed answer. */
export interface StreamEvent {
  readonly event?: string | undefined
  readonly data: string
  readonly id?: string | undefined
}

/** The answer of the gateway. An answer is streamed only if the request accepts it. */
export interface InnerAnswer {
  readonly status: number
  readonly headers: HeaderSource
  readonly body: string
  readonly events?: AsyncIterable<StreamEvent> | undefined
}

/** Sends a request through the whole pipeline of the gateway. */
export type Send = (request: InnerRequest) => Promise<InnerAnswer>

/** A decoded answer and the ids of its request. */
export interface Answered {
  readonly status: number
  readonly type: OutcomeType
  readonly headers: HeaderSource
  /** The JSON value of the body; the text of a body that is not JSON; undefined for an empty one. */
  readonly body: unknown
  readonly trace: Trace
}

const LAST_SUCCESS_STATUS = 299

/** Decodes an answer. Statuses outside the table are a success or an error by their class. */
export function readAnswer({ status, headers: source, body }: InnerAnswer, trace: Trace): Answered {
  const type = outcomeTypeOf(status) ?? (status <= LAST_SUCCESS_STATUS ? 'success' : 'error')
  const value = body === '' ? undefined : (parseJson(body, { isMessage: true }).value ?? body)
  return { status, type, headers: source, body: value, trace }
}

/** The `code` of a body. */
export function codeOf({ body }: Answered): unknown {
  return isObject(body) ? body['code'] : undefined
}

/** The seconds of `Retry-After`; undefined for a date or nothing. */
export function retryAfterOf(source: HeaderSource): number | undefined {
  const value = headerValue(source, headers.retryAfter)
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

/** The headers that every request of a call has: who calls, for which tenant, in which exchange. */
export function baseHeaders(context: HostContext, trace: Trace): Record<string, string> {
  const kept = [headers.authorization, headers.tenantId].flatMap((name) => {
    const value = headerValue(context.headers, name)
    return value === undefined || value === '' ? [] : [[name, value] as const]
  })
  const { traceparent } = context.meta
  return {
    ...Object.fromEntries(kept),
    [headers.correlationId]: trace.correlationId,
    [headers.requestId]: trace.requestId,
    Accept: 'application/json',
    ...(typeof traceparent === 'string' &&
      isIdentifier(traceparent) && { [headerKeys.traceparent]: traceparent }),
  }
}

/** The correlation id of a new call: that of the HTTP request, or a new one. */
export function correlationOf(source: HeaderSource, environment: Pick<Environment, 'randomUUID'>): string {
  const value = headerValue(source, headers.correlationId)
  return value !== undefined && isIdentifier(value) ? value : environment.randomUUID()
}

/** The path of a `Location` or `statusUrl` on this gateway; undefined for an address elsewhere. */
export function localPath(address: string | undefined, publicUrl: string): string | undefined {
  if (address === undefined || address === '') return undefined
  const url = URL.parse(address, publicUrl)
  if (url === null || url.origin !== new URL(publicUrl).origin) return undefined
  return url.pathname + url.search
}
