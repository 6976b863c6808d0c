import { isVendorType } from '@agentic-rest/profile'
import type { RouteConfig } from '../../config/config-schema.ts'
import { causeOf, refusal } from '../../errors.ts'
import { type Exchange, unlessCancelled } from '../../exchange.ts'
import { refuse } from '../../limits/refuse.ts'
import type { Release } from '../../limits/shares/semaphore.ts'
import { answerType } from '../check-response.ts'
import { type BodyEnd, dispatch, type UpstreamAnswer } from '../dispatch.ts'
import {
  type Forwarded,
  ForwardedRequest,
  type ForwardOptions,
  type ForwardWorld,
  fullQueues,
  isToBeRead,
  readSmallBody,
  refuseFailure,
} from '../forward.ts'
import type { Member, TargetGroup } from './target-group.ts'
import type { TargetResult } from './target-state.ts'

/** One attempt: its result, and whether another target may get the request. */
interface Attempt {
  readonly forwarded: Forwarded
  readonly mayRetry: boolean
}

/** Sends the request to a target of an upstream, and to another one where that is safe. Rejects only for a cancelled exchange. */
export async function forwardToGroup(
  exchange: Exchange,
  route: RouteConfig,
  { group, ...world }: ForwardWorld & { readonly group: TargetGroup },
): Promise<Forwarded> {
  if (group.ready !== undefined) await unlessCancelled(group.ready, exchange.signal)
  const first = chooseFirst(exchange, group)
  if ('refused' in first) return first
  const unread = isToBeRead(exchange) ? await readSmallBody(exchange, route, world) : undefined
  if (unread !== undefined) return unread
  const body = exchange.body.content()
  let { member } = first
  const tried: Member[] = []
  for (let left = group.attempts; ; left -= 1) {
    const options = { ...world, ...member.target, body }
    const attempt = await send(exchange, route, { group, member, options })
    tried.push(member)
    if (!attempt.mayRetry || left === 0) return attempt.forwarded
    const next = group.chooseRetry(tried)
    if (next === undefined) return attempt.forwarded
    if ('answer' in attempt.forwarded) attempt.forwarded.answer.body.abort()
    exchange.resent = true
    exchange.cause = undefined
    member = next
  }
}

/** The first target with a place for the request. */
function chooseFirst(
  exchange: Exchange,
  group: TargetGroup,
): { readonly member: Member } | Extract<Forwarded, { refused: unknown }> {
  const { tenantId = '' } = exchange
  const tried: Member[] = []
  let member = group.choose()
  if (member === undefined) return refuseAll(exchange, group)
  for (;;) {
    const full = member.target.pool.permits.fullFor(tenantId)
    if (full === undefined) return { member }
    tried.push(member)
    member = group.chooseOther(tried)
    if (member === undefined) return { refused: refuse(exchange, fullQueues[full]) }
  }
}

/** At once: a request that waited for a target would only wait longer. */
function refuseAll(exchange: Exchange, group: TargetGroup) {
  exchange.cause = 'NO_TARGET'
  exchange.retryAfterSeconds = group.retryAfterSeconds()
  return { refused: refusal('UPSTREAM_UNAVAILABLE') }
}

interface Sending {
  readonly group: TargetGroup
  readonly member: Member
  readonly options: ForwardOptions
}

async function send(
  exchange: Exchange,
  route: RouteConfig,
  { group, member, options }: Sending,
): Promise<Attempt> {
  const { tenantId = '', signal } = exchange
  const { permits, connections } = member.target.pool
  const taking = permits.take(tenantId, signal)
  if (typeof taking === 'string')
    return { forwarded: { refused: refuse(exchange, fullQueues[taking]) }, mayRetry: false }
  group.began(member)
  let release: Release | undefined
  let request: TargetRequest | undefined
  try {
    release = taking instanceof Promise ? await taking : taking
    // The request may be cancelled between its permit and this moment.
    signal.throwIfAborted()
    exchange.upstreamStartedAt ??= performance.now()
    request = new TargetRequest(exchange, { group, member, options }, release)
    exchange.sendCount += 1
    const answer = await dispatch(connections, request)
    const result = resultOf(answer)
    request.judge(result)
    return { forwarded: { answer }, mayRetry: result === 'server_error' && request.repeatable }
  } catch (error) {
    if (request === undefined) {
      release?.()
      group.ended(member)
    }
    request?.judge(signal.aborted ? cancelledResult(exchange) : 'unavailable')
    signal.throwIfAborted()
    const mayRetry = request !== undefined && (request.isUnsent || request.repeatable)
    return { forwarded: refuseFailure(exchange, route, { error, log: options.log }), mayRetry }
  }
}

/** A typed 5xx is an answer of the service, not a sign that this target fails. */
function resultOf({ status, rawHeaders }: UpstreamAnswer): TargetResult {
  return Math.floor(status / 100) >= 5 && !isVendorType(answerType(rawHeaders)) ? 'server_error' : 'answered'
}

function cancelledResult({ signal }: Exchange): TargetResult {
  return signal.reason === 'timeout' ? 'timeout' : 'cancelled'
}

/** A request at one target of a group; it judges the target when it has ended. */
class TargetRequest extends ForwardedRequest {
  /** No byte of it was sent. */
  isUnsent = false
  /** A streamed body stays whole until there is a connection: another target can get it otherwise. */
  readonly waitsForConnection = true
  private readonly sending: Sending
  private result: TargetResult | undefined = undefined
  private end: BodyEnd | undefined = undefined

  constructor(exchange: Exchange, sending: Sending, release: Release) {
    super(exchange, sending.options, release)
    this.sending = sending
  }

  override onUnsent(): void {
    super.onUnsent()
    this.isUnsent = true
  }

  override onSettled(end: BodyEnd): void {
    super.onSettled(end)
    this.end = end
    this.sending.group.ended(this.sending.member)
    this.report()
  }

  /** The result by the head of the answer, or by its absence. */
  judge(result: TargetResult): void {
    this.result = result
    this.report()
  }

  private report(): void {
    const { result, end, sending } = this
    if (result === undefined || end === undefined) return
    // The gateway's own end of a body has no code; a broken connection has one.
    const isBroken = result === 'answered' && !end.complete && causeOf(end.error) !== undefined
    sending.group.settled(sending.member, isBroken ? 'unavailable' : result)
  }
}
