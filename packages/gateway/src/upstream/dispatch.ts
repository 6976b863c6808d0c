import type { Readable } from 'node:stream'
import type { Dispatcher, Pool } from 'undici'
import type { BodyEnd, BodySink, UpstreamAnswer, UpstreamBody } from './upstream-answer.ts'

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: string
  readonly path: string
  readonly headers: string[]
  readonly body: Buffer | Readable | undefined
  readonly signal: AbortSignal
  /** Called once, when the upstream is done with the request, however it ended. */
  readonly onSettled: () => void
}

/** The upstream gave no answer. `begun` says whether a byte of one had come. */
export class DispatchError extends Error {
  override readonly name = 'DispatchError'
  readonly begun: boolean

  constructor(cause: unknown, begun: boolean) {
    super('the upstream gave no answer', { cause })
    this.begun = begun
  }
}

/** Sends one request and resolves with the head of its answer; rejects with a `DispatchError`. */
export function dispatch(pool: Pool, request: UpstreamRequest): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const handler = answerHandler(request, resolve, reject)
    const { method, path, headers, body } = request
    pool.dispatch({ method: method as Dispatcher.HttpMethod, path, headers, body: body ?? null }, handler)
  })
}

type Controller = Dispatcher.DispatchController

/** Follows one dispatch: from its start through the head and the body to its one end. */
function answerHandler(
  { signal, onSettled }: UpstreamRequest,
  resolve: (answer: UpstreamAnswer) => void,
  reject: (error: DispatchError) => void,
): Dispatcher.DispatchHandler & { onResponseStarted(): void } {
  const flow = createFlow()
  let begun = false
  let answered = false
  // The request may still wait for a connection when the client leaves: it is rejected now and dropped later.
  const onAbort = () => {
    reject(new DispatchError(signal.reason, begun))
    flow.abort()
  }
  signal.addEventListener('abort', onAbort, { once: true })
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
      // 1xx answers are not the answer (RFC 9110, section 15.2).
      if (status < 200) return
      answered = true
      resolve({ status, rawHeaders: decodeHeaders(controller.rawHeaders), body: flow.body })
    },
    onResponseData: (_controller, chunk) => flow.chunk(chunk),
    onResponseEnd: () => settle({ complete: true }),
    onResponseError(_controller, error) {
      settle({ complete: false, error })
      if (!answered) reject(new DispatchError(error, begun))
    },
  }
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
  return list.map((part) => (typeof part === 'string' ? part : Buffer.from(part).toString('latin1')))
}
