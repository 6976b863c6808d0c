import { headerKeys } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { type ErrorCode, refusal } from '../errors.ts'
import { BodyTooLargeError, type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import type { Log } from '../log.ts'
import { dispatch, type UpstreamRequest } from './dispatch.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import { InvalidAnswerError } from './http1/answer-head.ts'
import type { Release } from './places.ts'
import type { UpstreamTarget } from './pools.ts'
import type { UpstreamAnswer } from './upstream-answer.ts'

/** What forwarding gives: an answer to pass on, or the outcome that stands in for it. */
export type Forwarded = { readonly answer: UpstreamAnswer } | { readonly refused: NonNullable<StepResult> }

/** What forwarding needs beside the request. */
export interface ForwardOptions extends UpstreamTarget {
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
  route: RouteConfig,
  { pool, basePath, traceparent, log }: ForwardOptions,
): Promise<Forwarded> {
  if (pool.places.isFull) return { refused: refusal('OVERLOADED') }
  try {
    if (isToBeRead(exchange)) await unlessCancelled(exchange.body.read(SMALL_BODY_BYTES), exchange.signal)
    const taking = pool.places.take(exchange.signal)
    const release = taking instanceof Promise ? await taking : taking
    if (release === undefined) return { refused: refusal('OVERLOADED') }
    // The request may be cancelled between its turn and this moment.
    if (exchange.signal.aborted) release()
    exchange.signal.throwIfAborted()
    exchange.upstreamStartedAt = performance.now()
    return { answer: await dispatch(pool, upstreamRequest(exchange, { basePath, traceparent, release })) }
  } catch (error) {
    exchange.signal.throwIfAborted()
    log.debug('the upstream gave no answer', { route: route.id, request_id: exchange.trace.requestId, error })
    return { refused: refusal(failureCode(error)) }
  }
}

function upstreamRequest(
  exchange: Exchange,
  {
    basePath,
    traceparent,
    release,
  }: Pick<ForwardOptions, 'basePath' | 'traceparent'> & { readonly release: Release },
): UpstreamRequest {
  const headers = forwardedHeaders(exchange, traceparent)
  const { method, path, query, body, signal } = exchange
  const content = body.content()
  return {
    method,
    path: basePath + path + query,
    headers,
    body: content,
    length: () => body.length,
    signal,
    repeatable: isRepeatable(exchange, content),
    onSettled() {
      exchange.upstreamEndedAt = performance.now()
      release()
    },
  }
}

/** A small body that no plugin has read yet. */
function isToBeRead(exchange: Exchange): boolean {
  if (exchange.body.isRead) return false
  const length = exchange.body.length
  return length === undefined ? isKeyed(exchange) : length <= SMALL_BODY_BYTES
}

/** Whether the request may be sent twice: it changes nothing or has a key, and its body is still there (F8). */
function isRepeatable(exchange: Exchange, content: UpstreamRequest['body']): boolean {
  if (!SAFE_METHODS.has(exchange.method) && !isKeyed(exchange)) return false
  return content === undefined || (Buffer.isBuffer(content) && content.length <= SMALL_BODY_BYTES)
}

/** An empty key is not forwarded, so it protects nothing. */
function isKeyed({ headers }: Exchange): boolean {
  return (headers[headerKeys.idempotencyKey] ?? '') !== ''
}

function failureCode(error: unknown): ErrorCode {
  if (error instanceof BodyTooLargeError) return 'BODY_TOO_LARGE'
  return error instanceof InvalidAnswerError ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE'
}
