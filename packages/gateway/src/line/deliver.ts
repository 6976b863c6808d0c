import { type Outcome, writeErrorFrame } from '@agentic-rest/profile'
import { causeOf, refusal } from '../errors.ts'
import {
  type CancelReason,
  type CancelSignal,
  type DeliveryEnd,
  type Exchange,
  unlessCancelled,
} from '../exchange.ts'
import { type UsageTap, usageTap } from '../limits/usage/usage-tap.ts'
import type { CheckedAnswer } from '../upstream/check-response.ts'
import type { BodyEnd, UpstreamAnswer } from '../upstream/dispatch.ts'
import { EventBoundary } from '../upstream/event-stream.ts'
import { joinedHeader, returnedHeaders } from '../upstream/returned-headers.ts'

const LAST_FRAME_GRACE_MS = 2000

/** Sends an upstream's answer to the client, byte for byte; without a promise when it can leave at once. */
export function deliver(
  exchange: Exchange,
  checked: CheckedAnswer,
  { ownsCors }: { readonly ownsCors: boolean },
): DeliveryEnd | Promise<DeliveryEnd> {
  const tap = exchange.countsUsage ? tapFor(checked) : undefined
  const delivered = (end: DeliveryEnd) => {
    exchange.usage = tap?.end()
    if (exchange.usage === undefined) exchange.produced = tap?.produced()
    return end
  }
  try {
    const end = hasLeft(exchange) ? passNothing(checked, tap) : passOn(exchange, checked, { ownsCors, tap })
    return end instanceof Promise ? end.then(delivered) : delivered(end)
  } catch (error) {
    // The head could not be sent, and nobody will read the body.
    checked.answer.body.abort()
    throw error
  }
}

/** Whether the client of a keyed request left while it was worked on. From now on it is cancelled when its client leaves. */
function hasLeft({ keyClaim, signal, reply }: Exchange): boolean {
  signal.outlivesClient = false
  return keyClaim !== undefined && reply.isClosed
}

/** The tokens of an answer count also when nobody is left to get it. */
function passNothing({ answer, bytes }: CheckedAnswer, tap: UsageTap | undefined): DeliveryEnd {
  if (bytes !== undefined) tap?.chunk(bytes)
  answer.body.abort()
  return 'client_disconnect'
}

function tapFor({ essence, answer }: CheckedAnswer): UsageTap | undefined {
  return usageTap(essence, joinedHeader(answer.rawHeaders, 'content-encoding'))
}

interface PassOptions {
  readonly ownsCors: boolean
  /** Reads the bytes that pass. */
  readonly tap: UsageTap | undefined
}

function passOn(
  exchange: Exchange,
  checked: CheckedAnswer,
  { ownsCors, tap }: PassOptions,
): DeliveryEnd | Promise<DeliveryEnd> {
  const { answer, isEventStream: stream } = checked
  const { reply } = exchange
  const headers = returnedHeaders(exchange, answer, { ownsCors, stream })
  if (exchange.trail !== undefined) exchange.sentHeaders = headers
  reply.head(answer.status, headers)
  const whole = stream ? undefined : (checked.bytes ?? answer.body.takeWhole())
  if (whole === undefined) return passParts(exchange, checked, tap)
  reply.end(whole)
  tap?.chunk(whole)
  return reply.isFlushed ? 'complete' : untilFlushed(exchange)
}

async function passParts(
  exchange: Exchange,
  { answer, isEventStream }: CheckedAnswer,
  tap: UsageTap | undefined,
): Promise<DeliveryEnd> {
  const end = await (isEventStream ? pipeEvents(exchange, answer, tap) : pipeBytes(exchange, answer, tap))
  if (end !== 'complete' || exchange.reply.isFlushed) return end
  // The answer to a client that reads slowly is still in flight when the upstream is done.
  return await untilFlushed(exchange)
}

/** Waits until a client that reads slowly has its answer. */
export async function untilFlushed({ reply, signal }: Exchange): Promise<DeliveryEnd> {
  try {
    await unlessCancelled(reply.whenEnded(), signal)
    return 'complete'
  } catch {
    reply.destroy()
    return signal.reason as CancelReason
  }
}

function pipeBytes(exchange: Exchange, answer: UpstreamAnswer, tap?: UsageTap): Promise<DeliveryEnd> {
  const finish = (end: DeliveryEnd) => {
    // Only a cut connection tells the client that the body is incomplete.
    if (end === 'complete') exchange.reply.end()
    else exchange.reply.destroy()
  }
  return pipe(exchange, answer.body, { finish, watch: tap && ((bytes) => tap.chunk(bytes)) })
}

const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Ends the stream when its token does; a token that outlives any timer has none. */
function startExpiry(exchange: Exchange): void {
  const { streamsEndAt } = exchange.identity ?? {}
  const leftMs = (streamsEndAt ?? Number.POSITIVE_INFINITY) - Date.now()
  if (leftMs > LONGEST_TIMER_MS) return
  exchange.expiry = setTimeout(() => exchange.signal.cancel('token_expired'), Math.max(1, leftMs))
}

function pipeEvents(exchange: Exchange, answer: UpstreamAnswer, tap?: UsageTap): Promise<DeliveryEnd> {
  startExpiry(exchange)
  const boundary = new EventBoundary()
  // Plain text behind a compressed stream would be read as part of it.
  const encoded = joinedHeader(answer.rawHeaders, 'content-encoding') !== undefined
  const finish = (end: DeliveryEnd) => {
    const outcome = lastOutcome(end)
    if (outcome === undefined) return exchange.reply.end()
    if (encoded) return exchange.reply.destroy()
    exchange.reply.end(Buffer.from(boundary.closing() + writeErrorFrame(outcome, exchange.trace)))
    // A client that does not read would keep the connection open for ever.
    setTimeout(() => exchange.reply.destroy(), LAST_FRAME_GRACE_MS).unref()
  }
  const watch = (bytes: Buffer) => {
    boundary.chunk(bytes)
    tap?.chunk(bytes)
  }
  return pipe(exchange, answer.body, { finish, watch })
}

/** The last frame of a stream that broke off, or the answer before one; none for a client that left. */
export function lastOutcome(end: DeliveryEnd): Outcome | undefined {
  switch (end) {
    case 'complete':
    case 'client_disconnect':
      return undefined
    case 'upstream_error':
      return refusal('UPSTREAM_UNAVAILABLE')
    case 'timeout':
      return refusal('EXECUTION_TIMEOUT')
    case 'shutdown':
      return refusal('SHUTTING_DOWN')
    case 'token_expired':
      return refusal('TOKEN_EXPIRED')
    case 'unknown_issuer':
      return refusal('UNKNOWN_ISSUER')
  }
}

interface PipeOptions {
  /** Ends the answer as its delivery ended. */
  readonly finish: (end: DeliveryEnd) => void
  /** Sees every chunk after it was sent. */
  readonly watch?: ((bytes: Buffer) => void) | undefined
}

function pipe(
  exchange: Exchange,
  body: UpstreamAnswer['body'],
  { finish, watch }: PipeOptions,
): Promise<DeliveryEnd> {
  const { reply, signal } = exchange
  return new Promise((resolve) => {
    let begun = false
    let waiting = false
    const resume = () => {
      waiting = false
      body.resume()
    }
    body.pipe({
      chunk(bytes) {
        begun = true
        const wantsMore = reply.write(bytes)
        watch?.(bytes)
        // Without the pause a client that does not read would fill our memory (F13).
        // Chunks in flight still arrive after it; one listener serves them all.
        if (!wantsMore && !waiting) {
          waiting = true
          reply.onDrain(resume)
        }
        return wantsMore
      },
      end(bodyEnd) {
        const end = deliveryEnd(bodyEnd, signal)
        if (end === 'upstream_error' && !bodyEnd.complete) exchange.cause = causeOf(bodyEnd.error)
        begun = true
        finish(end)
        resolve(end)
      },
    })
    // The head must not wait for a slow body.
    if (!begun) reply.flush()
  })
}

function deliveryEnd({ complete }: BodyEnd, signal: CancelSignal): DeliveryEnd {
  if (complete) return 'complete'
  return signal.aborted ? (signal.reason as CancelReason) : 'upstream_error'
}
