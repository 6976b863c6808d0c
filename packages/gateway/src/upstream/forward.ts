import { headerKeys } from '@agentic-rest/profile'
import { type ErrorCode, refusal } from '../error-codes.ts'
import { BodyTooLargeError, type Exchange, type StepResult } from '../exchange.ts'
import type { Log } from '../log.ts'
import type { Route } from '../route.ts'
import { DispatchError, dispatch, type UpstreamRequest } from './dispatch.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { UpstreamPool } from './pools.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'

/** What forwarding gives: an answer to pass on, or the outcome that stands in for it. */
export type Forwarded = { readonly answer: UpstreamAnswer } | { readonly refused: NonNullable<StepResult> }

/** What forwarding needs beside the request. */
export interface ForwardOptions {
  readonly pool: UpstreamPool
  /** Joins the spans of gateway and upstream. */
  readonly traceparent: string
  readonly log: Log
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A body up to this size is read before it is sent: it can then be sent twice, and leaves in one write. */
const SMALL_BODY_BYTES = 65_536

/** Sends the request to its route's target. Rejects only when the exchange was cancelled. */
export async function forward(
  exchange: Exchange,
  route: Route,
  { pool, traceparent, log }: ForwardOptions,
): Promise<Forwarded> {
  if (pool.inFlight >= pool.capacity) return { refused: refusal('OVERLOADED') }
  try {
    await readSmallBody(exchange)
    exchange.signal.throwIfAborted()
    exchange.upstreamStartedAt = performance.now()
    return { answer: await sendWithRetry(exchange, pool, upstreamRequest(exchange, route, traceparent)) }
  } catch (error) {
    exchange.signal.throwIfAborted()
    log.debug('the upstream gave no answer', { route: route.id, request_id: exchange.trace.requestId, error })
    return { refused: refusal(failureCode(error)) }
  }
}

type RequestParts = Omit<UpstreamRequest, 'onSettled'>

function upstreamRequest(exchange: Exchange, route: Route, traceparent: string): RequestParts {
  const headers = forwardedHeaders(exchange, traceparent)
  const { method, path, query, body, signal } = exchange
  const content = body.content()
  // Known lengths are said, because not every service takes chunked bodies; the number is ours, not the client's text.
  if (content !== undefined && body.length !== undefined) headers.push('Content-Length', String(body.length))
  return { method, path: targetPath(route.config.target, path) + query, headers, body: content, signal }
}

async function readSmallBody({ body, headers }: Exchange): Promise<void> {
  const keyed = headers[headerKeys.idempotencyKey] !== undefined
  const small = body.length === undefined ? keyed : body.length <= SMALL_BODY_BYTES
  if (small && body.length !== 0) await body.read(SMALL_BODY_BYTES)
}

function targetPath(target: string, path: string): string {
  const base = new URL(target).pathname
  return base === '/' ? path : base.replace(/\/$/, '') + path
}

/** At the idle edge of a connection a request can be lost: it is sent once more where that cannot do harm (F8). */
async function sendWithRetry(
  exchange: Exchange,
  pool: UpstreamPool,
  request: RequestParts,
): Promise<UpstreamAnswer> {
  try {
    return await send(exchange, pool, request)
  } catch (error) {
    if (!mayRetry(exchange, pool, { request, error })) throw error
    return await send(exchange, pool, request)
  }
}

function send(exchange: Exchange, pool: UpstreamPool, request: RequestParts): Promise<UpstreamAnswer> {
  pool.inFlight += 1
  return dispatch(pool.pool, {
    ...request,
    onSettled() {
      pool.inFlight -= 1
      exchange.upstreamEndedAt = performance.now()
    },
  })
}

function mayRetry(
  exchange: Exchange,
  pool: UpstreamPool,
  { request, error }: { readonly request: RequestParts; readonly error: unknown },
): boolean {
  if (!(error instanceof DispatchError) || error.begun || exchange.signal.aborted) return false
  const repeatable = request.body === undefined || Buffer.isBuffer(request.body)
  const harmless =
    SAFE_METHODS.has(request.method) || exchange.headers[headerKeys.idempotencyKey] !== undefined
  return repeatable && harmless && pool.wasReused(error.cause)
}

function failureCode(error: unknown): ErrorCode {
  const cause = error instanceof DispatchError ? error.cause : error
  if (cause instanceof BodyTooLargeError) return 'BODY_TOO_LARGE'
  return isInvalidHttp(cause) ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE'
}

/** Whether an upstream answered, but not with HTTP that can be read. */
export function isInvalidHttp(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  if (code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW') return true
  if (code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH') return true
  return code === 'UND_ERR_SOCKET' && message.startsWith('bad ')
}
