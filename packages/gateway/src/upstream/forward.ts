import { InvalidAnswerError } from '@agentic-rest/http1'
import { headerKeys } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { causeOf, type ErrorCode, refusal } from '../errors.ts'
import { BodyTooLargeError, type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import { type LimitName, LimitReachedError, refuse } from '../limits/refuse.ts'
import type { FullQueue, Release } from '../limits/shares/semaphore.ts'
import type { ClientPath } from '../listen/client-address.ts'
import type { Log } from '../log.ts'
import { type BodyEnd, dispatch, type UpstreamAnswer, type UpstreamRequest } from './dispatch.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { IdentitySigner } from './signed-identity.ts'
import type { UpstreamTarget } from './upstream-pool.ts'

/** The result of forwarding: an answer to pass on, or the outcome that replaces it. */
export type Forwarded = { readonly answer: UpstreamAnswer } | { readonly refused: NonNullable<StepResult> }

/** The trace of a request, the signer of its caller, the way of its client and the log. */
export interface ForwardWorld {
  readonly traceparent: string
  readonly signer: IdentitySigner | undefined
  readonly clientPath: ClientPath
  readonly log: Log
}

/** The target of a request as well. */
export interface ForwardOptions extends UpstreamTarget, ForwardWorld {
  /** The body, where it was taken before: a stream can be taken once. */
  readonly body?: UpstreamRequest['body']
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A body up to this size is read before it is sent: it can be sent twice, and leaves in one write. */
const SMALL_BODY_BYTES = 65_536

/** The limit behind each bound of the queue. */
export const fullQueues = {
  queue: 'max_upstream_queue_per_origin',
  queuePerTenant: 'max_upstream_queue_per_tenant',
} as const satisfies Record<FullQueue, LimitName>

/** Sends the request to its route's target. Rejects only for a cancelled exchange. */
export async function forward(
  exchange: Exchange,
  route: RouteConfig,
  options: ForwardOptions,
): Promise<Forwarded> {
  const { permits, connections } = options.pool
  const { tenantId = '', signal } = exchange
  const full = permits.fullFor(tenantId)
  if (full !== undefined) return { refused: refuse(exchange, fullQueues[full]) }
  let release: Release | undefined
  try {
    if (isToBeRead(exchange) && exchange.body.arrived(SMALL_BODY_BYTES) === undefined)
      await unlessCancelled(exchange.body.read(SMALL_BODY_BYTES), signal)
    const taking = permits.take(tenantId, signal)
    if (typeof taking === 'string') return { refused: refuse(exchange, fullQueues[taking]) }
    release = taking instanceof Promise ? await taking : taking
    // The request may be cancelled between its permit and this moment.
    signal.throwIfAborted()
    exchange.upstreamStartedAt = performance.now()
    const request = new ForwardedRequest(exchange, options, release)
    exchange.sendCount += 1
    return { answer: await dispatch(connections, request) }
  } catch (error) {
    // An error before the request is sent would keep the permit for ever.
    release?.()
    signal.throwIfAborted()
    return refuseFailure(exchange, route, { error, log: options.log })
  }
}

/** Reads a small body before it is sent; returns the refusal of a body that cannot be read. */
export async function readSmallBody(
  exchange: Exchange,
  route: RouteConfig,
  { log }: ForwardWorld,
): Promise<Forwarded | undefined> {
  try {
    await unlessCancelled(exchange.body.read(SMALL_BODY_BYTES), exchange.signal)
    return undefined
  } catch (error) {
    exchange.signal.throwIfAborted()
    return refuseFailure(exchange, route, { error, log })
  }
}

/** The refusal of a request without an answer. */
export function refuseFailure(
  exchange: Exchange,
  route: RouteConfig,
  { error, log }: { readonly error: unknown; readonly log: Log },
): Forwarded {
  if (error instanceof LimitReachedError) return { refused: refuse(exchange, error.limit) }
  const { requestId } = exchange.trace
  log.debug('the upstream gave no answer', { route: route.id, request_id: requestId, error })
  const code = failureCode(error)
  if (code === 'BODY_TOO_LARGE') exchange.limit = 'max_body_bytes'
  else exchange.cause = causeOf(error)
  return { refused: refusal(code) }
}

/** The request of an exchange as it is sent to the upstream. */
export class ForwardedRequest implements UpstreamRequest {
  readonly path: string
  readonly headers: readonly string[]
  readonly body: UpstreamRequest['body']
  readonly repeatable: boolean
  readonly needsNewConnection: boolean
  private readonly exchange: Exchange
  private readonly release: Release

  constructor(exchange: Exchange, options: ForwardOptions, release: Release) {
    const { basePath, traceparent, origin, signer, clientPath } = options
    this.exchange = exchange
    this.release = release
    this.path = basePath + exchange.path + exchange.query
    const forwardedFor = clientPath(exchange).join(', ')
    const identity = signer?.sign(exchange, origin)
    this.headers = forwardedHeaders(exchange, { traceparent, identity, forwardedFor })
    this.body = options.body ?? exchange.body.content()
    // On an idle connection it could be lost without a trace (F8), and it must not be sent twice.
    this.needsNewConnection = exchange.keyClaim?.sendsOnce === true
    this.repeatable = !this.needsNewConnection && isRepeatable(exchange, this.body)
  }

  get method(): string {
    return this.exchange.method
  }

  get length(): number | undefined {
    return this.exchange.body.length
  }

  get signal(): Exchange['signal'] {
    return this.exchange.signal
  }

  onRepeated(): void {
    this.exchange.resent = true
  }

  onUnsent(): void {
    this.exchange.sendCount -= 1
  }

  onSettled(_end: BodyEnd): void {
    this.exchange.upstreamEndedAt = performance.now()
    this.release()
  }
}

/** Whether the body is small and no plugin has read it. */
export function isToBeRead(exchange: Exchange): boolean {
  if (exchange.body.isRead) return false
  const length = exchange.body.length
  return length === undefined ? isKeyed(exchange) : length <= SMALL_BODY_BYTES
}

/** Whether the request may be sent twice: a safe method or a key, and its body in memory (F8). */
function isRepeatable(exchange: Exchange, content: UpstreamRequest['body']): boolean {
  if (!SAFE_METHODS.has(exchange.method) && !isKeyed(exchange)) return false
  return content === undefined || (Buffer.isBuffer(content) && content.length <= SMALL_BODY_BYTES)
}

/** An empty key is not forwarded and protects nothing. */
function isKeyed({ headers }: Exchange): boolean {
  return (headers[headerKeys.idempotencyKey] ?? '') !== ''
}

function failureCode(error: unknown): ErrorCode {
  if (error instanceof BodyTooLargeError) return 'BODY_TOO_LARGE'
  return error instanceof InvalidAnswerError ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE'
}
