import type { CancelSignal } from '../cancel-signal.ts'
import type { AnswerFollower } from './http1/connection.ts'
import type { Connections, Sending } from './http1/connections.ts'
import type { WireRequest } from './http1/request-bytes.ts'
import type { BodyEnd, BodySink, UpstreamAnswer, UpstreamBody } from './upstream-answer.ts'

/** A request to an upstream. */
export interface UpstreamRequest extends WireRequest {
  readonly signal: CancelSignal
  /** Sending it twice does no harm. */
  readonly repeatable: boolean
  /** Called once, when the upstream is done with the request, however it ended. */
  readonly onSettled: () => void
}

/** Sends one request and resolves with the head of its answer; rejects with the reason why there is none. */
export function dispatch(
  { connections }: { readonly connections: Connections },
  request: UpstreamRequest,
): Promise<UpstreamAnswer> {
  return new Promise((resolve, reject) => {
    const { signal, onSettled } = request
    const flow = createFlow()
    let repeatable = request.repeatable
    const onAbort = () => {
      reject(signal.reason)
      flow.abort()
    }
    const settle = (end: BodyEnd) => {
      signal.removeEventListener('abort', onAbort)
      onSettled()
      flow.end(end)
    }
    const follower: AnswerFollower = {
      head: ({ status, rawHeaders }) => resolve({ status, rawHeaders, body: flow.body }),
      chunk: flow.chunk,
      complete: () => settle(COMPLETE),
      failed(error, isLost) {
        // At the idle edge of a connection a request can be lost: it is sent once more where that does no harm (F8).
        if (isLost && repeatable && !signal.aborted) {
          repeatable = false
          return flow.start(connections.sendAfresh(request, follower))
        }
        settle({ complete: false, error })
        // Nothing happens here when the head has come: the body says how it ended.
        reject(error)
      },
    }
    signal.addEventListener('abort', onAbort)
    flow.start(connections.send(request, follower))
  })
}

const COMPLETE: BodyEnd = { complete: true }

interface Flow {
  readonly body: UpstreamBody
  start(sending: Sending): void
  chunk(bytes: Buffer): void
  end(end: BodyEnd): void
  abort(): void
}

/**
 * Holds the first chunks until the body is taken. They come in the same turn as the head, so a small answer is
 * complete by then and leaves in one write; a large one is paused by its sink.
 */
function createFlow(): Flow {
  let sending: Sending | undefined
  let sink: BodySink | undefined
  let ended: BodyEnd | undefined
  const early: Buffer[] = []
  const give = (bytes: Buffer) => {
    if (sink?.chunk(bytes) === false && ended === undefined) sending?.pause()
  }
  // The connection is somebody else's once the answer has ended.
  const abort = () => {
    if (ended === undefined) sending?.abort(new Error('the exchange has ended'))
  }
  const body: UpstreamBody = {
    takeWhole() {
      if (ended?.complete !== true) return undefined
      return early.length === 1 ? early.pop() : Buffer.concat(early.splice(0))
    },
    pipe(taker) {
      sink = taker
      for (const bytes of early.splice(0)) give(bytes)
      if (ended?.complete === true) taker.end(ended)
      // What came before the fault leaves first: the client sees as much of the answer as there was.
      else if (ended !== undefined) setImmediate(taker.end, ended)
    },
    resume() {
      if (ended === undefined) sending?.resume()
    },
    abort,
  }
  return {
    body,
    abort,
    start(own) {
      sending = own
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
