import type {
  AnswerHandler,
  AnswerHead,
  ConnectionPool,
  RequestProgress,
  Sending,
  WireRequest,
} from '@agentic-rest/http1'
import type { CancelSignal } from '../exchange.ts'

/** A request to an upstream. */
export interface UpstreamRequest extends WireRequest {
  readonly signal: CancelSignal
  /** The request may be sent twice without harm. */
  readonly repeatable: boolean
  /** The request is sent on a connection that has carried no other one. */
  readonly needsNewConnection?: boolean
  /** Called when the request is sent a second time. */
  onRepeated?(): void
  /** Called when the request fails before a byte of it was sent. */
  onUnsent?(): void
  /** Called once, when the request has ended at the upstream, complete or failed. */
  onSettled(end: BodyEnd): void
}

/** The head of an upstream's answer, and its body. */
export interface UpstreamAnswer {
  readonly status: number
  /** Names and values in turn, as the upstream sent them. */
  readonly rawHeaders: readonly string[]
  readonly body: UpstreamBody
}

/** The body of an upstream's answer, kept until it is taken or piped. */
export interface UpstreamBody {
  /** Takes the whole body if it arrived together with the head, so that no wait is needed. */
  takeWhole(): Buffer | undefined
  pipe(sink: BodySink): void
  /** Stops reading until `resume`; chunks in flight still arrive. */
  pause(): void
  resume(): void
  /** Ends the upstream request at once. */
  abort(): void
}

/** Receives the chunks of a body. */
export interface BodySink {
  /** False asks for a pause until the body's `resume`. */
  chunk(bytes: Buffer): boolean
  end(end: BodyEnd): void
}

/** How a body ended. */
export type BodyEnd = { readonly complete: true } | { readonly complete: false; readonly error: Error }

const COMPLETE: BodyEnd = { complete: true }

/** Sends one request and resolves with the head of its answer; rejects when there is none. */
export function dispatch(connections: ConnectionPool, request: UpstreamRequest): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    new UpstreamCall(connections, request, { resolve, reject }).start()
  })
}

interface Settlers {
  readonly resolve: (answer: UpstreamAnswer) => void
  readonly reject: (reason: unknown) => void
}

/**
 * One request and the body of its answer. The first chunks arrive in the same turn as the head and are kept until the
 * body is taken: a small answer is complete by then and leaves in one write; the sink pauses a large one.
 */
class UpstreamCall implements AnswerHandler, UpstreamBody {
  private readonly connections: ConnectionPool
  private readonly request: UpstreamRequest
  private readonly settlers: Settlers
  private repeatable: boolean
  private sending: Sending | undefined = undefined
  private sink: BodySink | undefined = undefined
  private ended: BodyEnd | undefined = undefined
  private early: Buffer[] = []

  constructor(connections: ConnectionPool, request: UpstreamRequest, settlers: Settlers) {
    this.connections = connections
    this.request = request
    this.settlers = settlers
    this.repeatable = request.repeatable
  }

  start(): void {
    this.request.signal.addEventListener('abort', this.onAbort)
    this.sending = this.request.needsNewConnection
      ? this.connections.sendAlone(this.request, this)
      : this.connections.send(this.request, this)
  }

  onHead({ status, rawHeaders }: AnswerHead): void {
    this.settlers.resolve({ status, rawHeaders, body: this })
  }

  onChunk(bytes: Buffer): void {
    if (this.sink === undefined) this.early.push(bytes)
    else this.give(this.sink, bytes)
  }

  onComplete(): void {
    this.settle(COMPLETE)
  }

  onFailed(error: Error, progress: RequestProgress): void {
    // A server may close an idle connection just when a request is sent: that request is sent once more (F8).
    if (progress === 'lost' && this.repeatable && !this.request.signal.aborted) {
      this.repeatable = false
      this.request.onRepeated?.()
      this.sending = this.connections.sendAlone(this.request, this)
      return
    }
    if (progress === 'unsent') this.request.onUnsent?.()
    this.settle({ complete: false, error })
    // Without effect after the head: the body reports the error then.
    this.settlers.reject(error)
  }

  takeWhole(): Buffer | undefined {
    if (this.ended?.complete !== true) return undefined
    const taken = this.takeEarly()
    return taken.length === 1 ? taken[0] : Buffer.concat(taken)
  }

  pipe(sink: BodySink): void {
    this.sink = sink
    for (const bytes of this.takeEarly()) this.give(sink, bytes)
    const { ended } = this
    if (ended?.complete === true) sink.end(ended)
    // The chunks before the fault are sent first: the client gets as much of the answer as there was.
    else if (ended !== undefined) setImmediate(() => sink.end(ended))
  }

  pause(): void {
    if (this.ended === undefined) this.sending?.pause()
  }

  resume(): void {
    if (this.ended === undefined) this.sending?.resume()
  }

  abort(): void {
    if (this.ended === undefined) this.sending?.abort(new Error('the exchange has ended'))
  }

  private readonly onAbort = (): void => {
    this.settlers.reject(this.request.signal.reason)
    this.abort()
  }

  private settle(end: BodyEnd): void {
    this.request.signal.removeEventListener('abort', this.onAbort)
    this.request.onSettled(end)
    this.ended = end
    this.sink?.end(end)
  }

  private give(sink: BodySink, bytes: Buffer): void {
    // After the end of the answer the connection may carry another request.
    if (!sink.chunk(bytes) && this.ended === undefined) this.sending?.pause()
  }

  private takeEarly(): Buffer[] {
    const taken = this.early
    this.early = []
    return taken
  }
}

/** A body in memory, or the reason why there is none. */
export type CollectedBody =
  | { readonly bytes: Buffer }
  | { readonly problem: 'too_large' | 'cut_off'; readonly error?: Error }

/** Reads a whole body of at most `maxBytes`; without a promise if it has already arrived. */
export function collectBody(body: UpstreamBody, maxBytes: number): CollectedBody | Promise<CollectedBody> {
  const whole = body.takeWhole()
  if (whole === undefined) return collectChunks(body, maxBytes)
  return whole.length <= maxBytes ? { bytes: whole } : { problem: 'too_large' }
}

function collectChunks(body: UpstreamBody, maxBytes: number): Promise<CollectedBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    body.pipe({
      chunk(bytes) {
        length += bytes.length
        chunks.push(bytes)
        if (length <= maxBytes) return true
        resolve({ problem: 'too_large' })
        body.abort()
        return false
      },
      end(end) {
        if (end.complete) resolve({ bytes: Buffer.concat(chunks, length) })
        else resolve({ problem: 'cut_off', error: end.error })
      },
    })
  })
}
