import type { CancelSignal } from '../exchange.ts'
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
    const { signal } = request
    const body = createBody(connections)
    const onAbort = () => {
      reject(signal.reason)
      body.abort()
    }
    const settle = (end: BodyEnd) => {
      signal.removeEventListener('abort', onAbort)
      request.onSettled()
      body.end(end)
    }
    let repeatable = request.repeatable
    const follower: AnswerFollower = {
      head: ({ status, rawHeaders }) => resolve({ status, rawHeaders, body }),
      chunk: body.chunk,
      complete: () => settle(COMPLETE),
      failed(error, isLost) {
        // At the idle edge of a connection a request can be lost: it is sent once more where that does no harm (F8).
        if (isLost && repeatable && !signal.aborted) {
          repeatable = false
          body.sending = connections.sendAfresh(request, follower)
          return
        }
        settle({ complete: false, error })
        // Nothing happens here when the head has come: the body says how it ended.
        reject(error)
      },
    }
    signal.addEventListener('abort', onAbort)
    body.sending = connections.send(request, follower)
  })
}

const COMPLETE: BodyEnd = { complete: true }

/** The body of an answer, and the side of it that is filled. */
interface FilledBody extends UpstreamBody {
  sending: Sending | undefined
  chunk(bytes: Buffer): void
  end(end: BodyEnd): void
}

/**
 * Holds the first chunks until the body is taken. They come in the same turn as the head, so a small answer is
 * complete by then and leaves in one write; a large one is paused by its sink.
 */
function createBody(connections: Connections): FilledBody {
  let sink: BodySink | undefined
  let ended: BodyEnd | undefined
  let early: Buffer[] = []
  const give = (bytes: Buffer) => {
    // The connection is somebody else's once the answer has ended.
    if (sink?.chunk(bytes) === false && body.sending !== undefined && ended === undefined)
      connections.pause(body.sending)
  }
  const takeEarly = () => {
    const taken = early
    early = []
    return taken
  }
  const body: FilledBody = {
    sending: undefined,
    takeWhole() {
      if (ended?.complete !== true) return undefined
      const taken = takeEarly()
      return taken.length === 1 ? taken[0] : Buffer.concat(taken)
    },
    pipe(taker) {
      sink = taker
      for (const bytes of takeEarly()) give(bytes)
      if (ended?.complete === true) taker.end(ended)
      // What came before the fault leaves first: the client sees as much of the answer as there was.
      else if (ended !== undefined) setImmediate(taker.end, ended)
    },
    resume() {
      if (ended === undefined && body.sending !== undefined) connections.resume(body.sending)
    },
    abort() {
      if (ended === undefined && body.sending !== undefined)
        connections.abort(body.sending, new Error('the exchange has ended'))
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
  return body
}
