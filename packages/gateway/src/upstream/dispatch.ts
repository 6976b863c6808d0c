import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { CancelSignal } from '../cancel-signal.ts'
import type { UpstreamPool } from './pools.ts'
import {
  type BodyEnd,
  type BodySink,
  joinedHeader,
  type UpstreamAnswer,
  type UpstreamBody,
} from './upstream-answer.ts'

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: string[]
  readonly body: Buffer | Readable | undefined
  readonly signal: CancelSignal
  /** Sending it twice does no harm. */
  readonly repeatable: boolean
  /** Called once, when the upstream is done with the request, however it ended. */
  readonly onSettled: () => void
}

/** The upstream answered, but not with HTTP that can be passed on. */
export class InvalidAnswerError extends Error {
  override readonly name = 'InvalidAnswerError'
}

/** Sends one request and resolves with the head of its answer; rejects with the reason why there is none. */
export function dispatch(upstream: UpstreamPool, request: UpstreamRequest): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const { method, path, headers, body } = request
    const options = { method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null }
    let repeatable = request.repeatable
    // At the idle edge of a connection a request can be lost: it is sent once more where that does no harm (F8).
    const repeat = (error: Error) => {
      if (!repeatable || !upstream.wasReused(error)) return false
      repeatable = false
      upstream.freshPool.dispatch(options, handler)
      return true
    }
    const handler = answerHandler(request, { resolve, reject, repeat })
    upstream.pool.dispatch(options, handler)
  })
}

type Controller = Dispatcher.DispatchController

interface Ways {
  resolve(answer: UpstreamAnswer): void
  reject(error: unknown): void
  /** Called when no byte of an answer came; true when the request is on its way again. */
  repeat(error: Error): boolean
}

/** Follows one request: from its start through the head and the body to its one end. */
function answerHandler(
  { signal, onSettled }: UpstreamRequest,
  { resolve, reject, repeat }: Ways,
): Dispatcher.DispatchHandler & { onResponseStarted(): void } {
  const flow = createFlow()
  let begun = false
  // The request may still wait for a connection when the client leaves: it is rejected now and dropped later.
  const onAbort = () => {
    reject(signal.reason)
    flow.abort()
  }
  signal.addEventListener('abort', onAbort)
  const settle = (end: BodyEnd) => {
    signal.removeEventListener('abort', onAbort)
    onSettled()
    flow.end(end)
  }
  return {
    onRequestStart: (controller) => flow.start(controller),
    onResponseStarted() {
      begun = true
    },
    onResponseStart(controller, status) {
      if (isInformational(status)) return
      const rawHeaders = decodeHeaders(controller.rawHeaders)
      const fault = headFault(status, rawHeaders)
      if (fault === undefined) resolve({ status, rawHeaders, body: flow.body })
      else controller.abort(new InvalidAnswerError(fault))
    },
    onResponseData: (_controller, chunk) => flow.chunk(chunk),
    onResponseEnd: () => settle({ complete: true }),
    onResponseError(_controller, error) {
      if (!begun && !signal.aborted && repeat(error)) return
      settle({ complete: false, error })
      // Nothing happens here when the head has come: the body says how it ended.
      reject(error)
    },
  }
}

const SWITCHING_PROTOCOLS = 101
const statusClass = (status: number) => Math.floor(status / 100)

/** RFC 9110, section 15.2: these come before the answer. Nobody asked for another protocol, though. */
function isInformational(status: number): boolean {
  return statusClass(status) === 1 && status !== SWITCHING_PROTOCOLS
}

/** What cannot be passed on though it could be parsed. */
function headFault(status: number, rawHeaders: readonly string[]): string | undefined {
  if (statusClass(status) < 2) return `status ${status} is no answer`
  // RFC 9112, section 6.1: only `chunked` may be sent to whoever did not ask for another coding with TE.
  const coding = joinedHeader(rawHeaders, 'transfer-encoding')?.trim().toLowerCase() ?? 'chunked'
  return coding === 'chunked' ? undefined : 'a transfer coding that was not asked for'
}

interface Flow {
  readonly body: UpstreamBody
  start(controller: Controller): void
  chunk(bytes: Buffer): void
  end(end: BodyEnd): void
  abort(): void
}

/**
 * Holds the first chunks until the body is taken. They come in the same turn as the head, so a small answer is
 * complete by then and leaves in one write; a large one is paused by its sink.
 */
function createFlow(): Flow {
  let controller: Controller | undefined
  let sink: BodySink | undefined
  let aborted = false
  let ended: BodyEnd | undefined
  const early: Buffer[] = []
  const give = (bytes: Buffer) => {
    if (sink?.chunk(bytes) === false) controller?.pause()
  }
  const abort = () => {
    aborted = true
    if (ended === undefined) controller?.abort(new Error('the exchange has ended'))
  }
  const body: UpstreamBody = {
    takeWhole() {
      if (ended?.complete !== true) return undefined
      return early.length === 1 ? early.pop() : Buffer.concat(early.splice(0))
    },
    pipe(taker) {
      sink = taker
      for (const bytes of early.splice(0)) give(bytes)
      if (ended !== undefined) taker.end(ended)
    },
    resume: () => controller?.resume(),
    abort,
  }
  return {
    body,
    abort,
    start(own) {
      controller = own
      if (aborted) own.abort(new Error('the exchange has ended'))
    },
    chunk(bytes) {
      if (sink === undefined) early.push(bytes)
      else give(bytes)
    },
    end(end) {
      ended = end
      sink?.end(end)
    },
  }
}

function decodeHeaders(rawHeaders: Controller['rawHeaders']): string[] {
  const list = Array.isArray(rawHeaders) ? rawHeaders : []
  // Header values are bytes; latin1 keeps each of them as it was.
  return list.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
}
