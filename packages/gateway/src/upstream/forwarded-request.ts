import { headerKeys } from '@agentic-rest/profile'
import { causeOf } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import type { Release } from '../limits/shares/semaphore.ts'
import type { ClientPath } from '../listen/client-address.ts'
import type { BodyEnd, UpstreamRequest } from './dispatch.ts'
import { forwardedHeaders } from './forwarded-headers.ts'
import type { IdentitySigner } from './signed-identity.ts'
import type { Destination, Member } from './targets/destination.ts'
import type { TargetResult } from './targets/target-state.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])
/** A body up to this size is read before it is sent: it can be sent twice, and leaves in one write. */
export const SMALL_BODY_BYTES = 65_536

/** The trace of a request, the signer of its caller and the way of its client. */
export interface RequestWorld {
  readonly traceparent: string
  readonly signer: IdentitySigner | undefined
  readonly clientPath: ClientPath
}

/** The target of a request, and what it gets. */
export interface Sending {
  readonly world: RequestWorld
  readonly destination: Destination
  readonly member: Member
  readonly body: UpstreamRequest['body']
}

/** The request of an exchange as it is sent to one target; it judges the target when it has ended. */
export class ForwardedRequest implements UpstreamRequest {
  readonly path: string
  readonly headers: readonly string[]
  readonly body: UpstreamRequest['body']
  readonly repeatable: boolean
  readonly needsNewConnection: boolean
  /** A streamed body stays whole until there is a connection: another target can get it otherwise. */
  readonly waitsForConnection: boolean
  /** No byte of it was sent. */
  isUnsent = false
  private readonly exchange: Exchange
  private readonly sending: Sending
  private readonly release: Release
  private result: TargetResult | undefined = undefined
  private end: BodyEnd | undefined = undefined

  constructor(exchange: Exchange, sending: Sending, release: Release) {
    const { world, destination, member, body } = sending
    const { basePath, origin } = member.target
    this.exchange = exchange
    this.sending = sending
    this.release = release
    this.path = basePath + exchange.path + exchange.query
    const forwardedFor = world.clientPath(exchange).join(', ')
    const identity = world.signer?.sign(exchange, origin)
    this.headers = forwardedHeaders(exchange, { traceparent: world.traceparent, identity, forwardedFor })
    this.body = body
    // On an idle connection it could be lost without a trace (F8), and it must not be sent twice.
    this.needsNewConnection = exchange.keyClaim?.sendsOnce === true
    this.repeatable = !this.needsNewConnection && isRepeatable(exchange, body)
    this.waitsForConnection = destination.attempts > 0
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
    this.isUnsent = true
  }

  onSettled(end: BodyEnd): void {
    this.exchange.upstreamEndedAt = performance.now()
    this.release()
    this.end = end
    this.sending.destination.ended(this.sending.member)
    this.report()
  }

  /** The result by the head of the answer, or by its absence. */
  judge(result: TargetResult): void {
    this.result = result
    this.report()
  }

  private report(): void {
    const { result, end } = this
    if (result === undefined || end === undefined) return
    const { destination, member } = this.sending
    // The gateway's own end of a body has no code; a broken connection has one.
    const isBroken = result === 'answered' && !end.complete && causeOf(end.error) !== undefined
    destination.settled(member, isBroken ? 'unavailable' : result)
  }
}

/** Whether the body is small, no plugin has read it, and a part of it has not arrived yet. */
export function isToBeRead(exchange: Exchange): boolean {
  const { isRead, length } = exchange.body
  if (isRead) return false
  const isSmall = length === undefined ? isKeyed(exchange) : length <= SMALL_BODY_BYTES
  return isSmall && exchange.body.arrived(SMALL_BODY_BYTES) === undefined
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
