import type { Outcome } from '@agentic-rest/profile'
import type { CancelSignal } from '../cancel-signal.ts'
import { refusal } from '../errors.ts'
import type { CancelReason, Exchange } from '../exchange.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import { type CheckedAnswer, mayHaveBody } from '../upstream/check-response.ts'
import { createEventBoundary, lastFrame } from '../upstream/event-stream.ts'
import { returnedHeaders } from '../upstream/returned-headers.ts'
import {
  type BodyEnd,
  joinedHeader,
  type UpstreamAnswer,
  withoutHeader,
} from '../upstream/upstream-answer.ts'

/** How the answer reached the client: complete, or broken off by whom. */
export type Delivery = 'complete' | 'upstream_error' | CancelReason

const LAST_FRAME_GRACE_MS = 2000

/** Sends an upstream's answer to the client, byte for byte; a promise when its last byte has not left at once. */
export function deliver(
  exchange: Exchange,
  checked: CheckedAnswer,
  { ownsCors }: { readonly ownsCors: boolean },
): Delivery | Promise<Delivery> {
  const { answer, bytes, essence } = checked
  const stream = exchange.streaming && essence === 'text/event-stream' && mayHaveBody(exchange, answer)
  exchange.reply.head(answer.status, returnedHeaders(exchange, sentHeaders(answer), { ownsCors, stream }))
  const sent = send(exchange, { answer, bytes, stream })
  return sent instanceof Promise
    ? sent.then((delivery) => settle(exchange, delivery))
    : settle(exchange, sent)
}

/** A client that reads slowly has not got its answer when the upstream is done: it still counts as in flight. */
function settle(exchange: Exchange, delivery: Delivery): Delivery | Promise<Delivery> {
  return delivery === 'complete' && !exchange.reply.isFlushed() ? untilFlushed(exchange) : delivery
}

function send(
  exchange: Exchange,
  { answer, bytes, stream }: Pick<CheckedAnswer, 'answer' | 'bytes'> & { readonly stream: boolean },
): Delivery | Promise<Delivery> {
  if (stream) return pipeEvents(exchange, answer)
  const whole = bytes ?? answer.body.takeWhole()
  if (whole === undefined) return pipeBytes(exchange, answer)
  exchange.reply.end(whole)
  return 'complete'
}

async function untilFlushed({ reply, signal }: Exchange): Promise<Delivery> {
  try {
    await unlessCancelled(reply.whenEnded(), signal)
    return 'complete'
  } catch {
    reply.destroy()
    return signal.reason as CancelReason
  }
}

const NO_CONTENT = 204

/** RFC 9110, section 8.6: no length goes with 204, and a client that believed one would wait for a body. */
function sentHeaders({ status, rawHeaders }: UpstreamAnswer): readonly string[] {
  return status === NO_CONTENT ? withoutHeader(rawHeaders, 'content-length') : rawHeaders
}

function pipeBytes(exchange: Exchange, answer: UpstreamAnswer): Promise<Delivery> {
  const finish = (delivery: Delivery) => {
    // There is no way to say that a body is incomplete but to cut it.
    if (delivery === 'complete') exchange.reply.end()
    else exchange.reply.destroy()
  }
  return pipe(exchange, answer.body, { finish })
}

function pipeEvents(exchange: Exchange, answer: UpstreamAnswer): Promise<Delivery> {
  const boundary = createEventBoundary()
  // Plain text behind a compressed stream would be read as part of it.
  const encoded = joinedHeader(answer.rawHeaders, 'content-encoding') !== undefined
  const finish = (delivery: Delivery) => {
    const outcome = lastOutcome(delivery)
    if (outcome === undefined) return exchange.reply.end()
    if (encoded) return exchange.reply.destroy()
    exchange.reply.end(Buffer.from(boundary.closing() + lastFrame(outcome, exchange.trace)))
    // A client that does not read would keep the connection for ever.
    setTimeout(() => exchange.reply.destroy(), LAST_FRAME_GRACE_MS).unref()
  }
  return pipe(exchange, answer.body, { finish, watch: boundary.chunk })
}

/** What a stream that broke off ends with; a client that left gets nothing. */
export function lastOutcome(delivery: Delivery): Outcome | undefined {
  switch (delivery) {
    case 'complete':
    case 'client_disconnect':
      return undefined
    case 'upstream_error':
      return refusal('UPSTREAM_UNAVAILABLE')
    case 'timeout':
      return refusal('EXECUTION_TIMEOUT')
    case 'shutdown':
      return refusal('SHUTTING_DOWN')
  }
}

interface PipeOptions {
  /** Ends the answer in the way that fits how it went. */
  readonly finish: (delivery: Delivery) => void
  /** Sees every chunk on its way. */
  readonly watch?: (bytes: Buffer) => void
}

function pipe(
  { reply, signal }: Exchange,
  body: UpstreamAnswer['body'],
  { finish, watch }: PipeOptions,
): Promise<Delivery> {
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
        watch?.(bytes)
        const wantsMore = reply.write(bytes)
        // Without the pause a client that does not read would fill our memory (F13).
        // Chunks that were on their way still come after it; one listener serves them all.
        if (!wantsMore && !waiting) {
          waiting = true
          reply.onDrain(resume)
        }
        return wantsMore
      },
      end(end) {
        const delivery = deliveryOf(end, signal)
        begun = true
        finish(delivery)
        resolve(delivery)
      },
    })
    // The head must not wait for a body that takes its time.
    if (!begun) reply.flush()
  })
}

function deliveryOf(end: BodyEnd, signal: CancelSignal): Delivery {
  if (end.complete) return 'complete'
  return signal.aborted ? (signal.reason as CancelReason) : 'upstream_error'
}
