import { InvalidAnswerError } from '@agentic-rest/http1'
import { isVendorType } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { causeOf, type ErrorCode, refusal } from '../errors.ts'
import { BodyTooLargeError, type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import { type LimitName, LimitReachedError, refuse } from '../limits/refuse.ts'
import type { FullQueue, Release } from '../limits/shares/semaphore.ts'
import type { Log } from '../log.ts'
import { answerType } from './check-response.ts'
import { dispatch, type UpstreamAnswer } from './dispatch.ts'
import { ForwardedRequest, isToBeRead, type RequestWorld, SMALL_BODY_BYTES } from './forwarded-request.ts'
import type { Destination, Member } from './targets/destination.ts'
import type { TargetResult } from './targets/target-state.ts'

/** The result of forwarding: an answer to pass on, or the outcome that replaces it. */
export type Forwarded = { readonly answer: UpstreamAnswer } | Refused

interface Refused {
  readonly refused: NonNullable<StepResult>
}

/** The destination of a request, and what is sent with it. */
export interface ForwardOptions extends RequestWorld {
  readonly destination: Destination
  readonly log: Log
}

/** One attempt: its result, and whether another target may get the request. */
interface Attempt {
  readonly forwarded: Forwarded
  readonly mayRetry: boolean
}

/** A request on its way to a target. */
interface Call {
  readonly exchange: Exchange
  readonly route: RouteConfig
  readonly options: ForwardOptions
  /** Taken when the first target has a place for the request, and once: a stream cannot be taken again. */
  content: { readonly body: ForwardedRequest['body'] } | undefined
}

/** The limit behind each bound of the queue. */
const fullQueues = {
  queue: 'max_upstream_queue_per_origin',
  queuePerTenant: 'max_upstream_queue_per_tenant',
} as const satisfies Record<FullQueue, LimitName>

/** Sends the request to a target of its route, and to another one where that is safe. Rejects only for a cancelled exchange. */
export async function forward(
  exchange: Exchange,
  route: RouteConfig,
  options: ForwardOptions,
): Promise<Forwarded> {
  const { destination } = options
  if (destination.ready !== undefined) await unlessCancelled(destination.ready, exchange.signal)
  const first = chooseFirst(exchange, destination)
  if ('refused' in first) return first
  const call: Call = { exchange, route, options, content: undefined }
  const unread = isToBeRead(exchange) ? await readSmallBody(call) : undefined
  if (unread !== undefined) return unread
  let member = first
  const tried: Member[] = []
  for (let left = destination.attempts; ; left -= 1) {
    const { forwarded, mayRetry } = await send(call, member)
    if (!mayRetry || left === 0) return forwarded
    tried.push(member)
    const next = destination.chooseRetry(tried)
    if (next === undefined) return forwarded
    if ('answer' in forwarded) forwarded.answer.body.abort()
    exchange.resent = true
    exchange.cause = undefined
    member = next
  }
}

/** The first target with a place for the request. */
function chooseFirst(exchange: Exchange, destination: Destination): Member | Refused {
  const { tenantId = '' } = exchange
  const tried: Member[] = []
  let member = destination.choose()
  if (member === undefined) return refuseAll(exchange, destination)
  for (;;) {
    const full = member.target.pool.permits.fullFor(tenantId)
    if (full === undefined) return member
    tried.push(member)
    member = destination.chooseOther(tried)
    if (member === undefined) return { refused: refuse(exchange, fullQueues[full]) }
  }
}

/** At once: a request that waited for a target would only wait longer. */
function refuseAll(exchange: Exchange, destination: Destination): Refused {
  exchange.cause = 'NO_TARGET'
  exchange.retryAfterSeconds = destination.retryAfterSeconds()
  return { refused: refusal('UPSTREAM_UNAVAILABLE') }
}

/** Reads a small body before it is sent; returns the refusal of a body that cannot be read. */
async function readSmallBody(call: Call): Promise<Refused | undefined> {
  const { body, signal } = call.exchange
  try {
    await unlessCancelled(body.read(SMALL_BODY_BYTES), signal)
    return undefined
  } catch (error) {
    signal.throwIfAborted()
    return refuseFailure(call, error)
  }
}

async function send(call: Call, member: Member): Promise<Attempt> {
  const { exchange, options } = call
  const { destination } = options
  const { tenantId = '', signal } = exchange
  const { permits, connections } = member.target.pool
  const taking = permits.take(tenantId, signal)
  if (typeof taking === 'string')
    return { forwarded: { refused: refuse(exchange, fullQueues[taking]) }, mayRetry: false }
  destination.began(member)
  let release: Release | undefined
  let request: ForwardedRequest | undefined
  try {
    release = taking instanceof Promise ? await taking : taking
    // The request may be cancelled between its permit and this moment.
    signal.throwIfAborted()
    exchange.upstreamStartedAt ??= performance.now()
    call.content ??= { body: exchange.body.content() }
    const { body } = call.content
    request = new ForwardedRequest(exchange, { world: options, destination, member, body }, release)
    exchange.sendCount += 1
    const answer = await dispatch(connections, request)
    const result = resultOf(answer)
    request.judge(result)
    return { forwarded: { answer }, mayRetry: result === 'server_error' && request.repeatable }
  } catch (error) {
    // An error before the request is sent would keep the permit for ever.
    release?.()
    if (request === undefined) destination.ended(member)
    request?.judge(signal.aborted ? cancelledResult(exchange) : 'unavailable')
    signal.throwIfAborted()
    const mayRetry = request !== undefined && (request.isUnsent || request.repeatable)
    return { forwarded: refuseFailure(call, error), mayRetry }
  }
}

/** A typed 5xx is an answer of the service, not a sign that this target fails. */
function resultOf({ status, rawHeaders }: UpstreamAnswer): TargetResult {
  return Math.floor(status / 100) >= 5 && !isVendorType(answerType(rawHeaders)) ? 'server_error' : 'answered'
}

function cancelledResult({ signal }: Exchange): TargetResult {
  return signal.reason === 'timeout' ? 'timeout' : 'cancelled'
}

/** The refusal of a request without an answer. */
function refuseFailure({ exchange, route, options }: Call, error: unknown): Refused {
  if (error instanceof LimitReachedError) return { refused: refuse(exchange, error.limit) }
  const { requestId } = exchange.trace
  options.log.debug('the upstream gave no answer', { route: route.id, request_id: requestId, error })
  const code = failureCode(error)
  if (code === 'BODY_TOO_LARGE') exchange.limit = 'max_body_bytes'
  else exchange.cause = causeOf(error)
  return { refused: refusal(code) }
}

function failureCode(error: unknown): ErrorCode {
  if (error instanceof BodyTooLargeError) return 'BODY_TOO_LARGE'
  return error instanceof InvalidAnswerError ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE'
}
