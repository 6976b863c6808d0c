import {
  createEventParser,
  EVENT_STREAM_TYPE,
  headers,
  type LastFrame,
  mediaTypeEssence,
  type Outcome,
  outcomes,
  readLastFrame,
  type StreamEvent,
  writeOutcome,
} from '@agentic-rest/profile'
import { refusal } from '../refusals.ts'
import {
  bodyText,
  type OutgoingRequest,
  openRequest,
  type ReceivedAnswer,
  readWhole,
  type Sent,
  type Unsent,
} from './send-request.ts'

/** The events of another agent, and its outcome. */
export interface CallStream<Result extends Outcome = Outcome> extends AsyncIterable<StreamEvent> {
  /**
   * Resolves when the iteration ends: with the outcome of the last frame, or of an answer without a stream. A stream that breaks
   * or is left early is a failed dependency. It never rejects.
   */
  readonly outcome: Promise<Result>
}

/** A call that can be sent, or the outcome of one that cannot. */
export type PreparedCall =
  | { readonly ok: true; readonly outgoing: OutgoingRequest; finish(answer: Sent): Outcome }
  | { readonly ok: false; readonly outcome: Outcome }

interface StreamingCall {
  prepare(): Promise<PreparedCall>
  /** Gets the outcome and returns the one for the operation. */
  observe(outcome: Outcome): Outcome
}

/** Creates the stream of a call. */
export function createCallStream({ prepare, observe }: StreamingCall): CallStream {
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  async function* iterate(): AsyncGenerator<StreamEvent, void> {
    // For a loop that is left before the end.
    let outcome: Outcome = refusal('DEPENDENCY_UNAVAILABLE')
    try {
      const prepared = await prepare()
      outcome = prepared.ok ? yield* send(prepared) : prepared.outcome
    } finally {
      resolve(observe(outcome))
    }
  }
  const events = iterate()
  return { [Symbol.asyncIterator]: () => events, outcome: promise }
}

async function* send({
  outgoing,
  finish,
}: Extract<PreparedCall, { ok: true }>): AsyncGenerator<StreamEvent, Outcome> {
  const body = bodyText(outgoing)
  outgoing.headers.set('Accept', `${outcomes.success.mediaType}, ${EVENT_STREAM_TYPE}`)
  const limit = createLimit(outgoing.timeoutMs)
  const signal = AbortSignal.any([limit.signal, outgoing.signal])
  try {
    const response = await openRequest({ ...outgoing, body }, signal)
    if (!isEventStream(response)) return finish(await readWhole(response, outgoing.maxResponseBytes))
    return finish(yield* readEvents(response, outgoing, limit))
  } catch (cause) {
    // An event above the limit.
    if (cause instanceof RangeError) return finish(invalid(cause))
    return finish({
      ok: false,
      code: limit.signal.aborted ? 'DEPENDENCY_TIMEOUT' : 'DEPENDENCY_UNAVAILABLE',
      cause,
    })
  } finally {
    limit.close()
  }
}

function isEventStream({ status, headers: fields }: Response): boolean {
  const essence = mediaTypeEssence(fields.get(headers.contentType) ?? undefined)
  return status === outcomes.success.status && essence === EVENT_STREAM_TYPE
}

// A service ends its stream right after the last frame.
const END_MS = 2000

/** Yields the events of a stream; returns its last frame as an ordinary answer. */
async function* readEvents(
  response: Response,
  { maxResponseBytes }: OutgoingRequest,
  limit: Limit,
): AsyncGenerator<StreamEvent, Sent> {
  const parser = createEventParser(maxResponseBytes)
  const decoder = new TextDecoder()
  let last: LastFrame | undefined
  try {
    for await (const chunk of response.body ?? []) {
      // The stream is read to its end: a connection that is left early looks like a caller that went away.
      if (last !== undefined) continue
      for (const event of parser.push(decoder.decode(chunk, { stream: true }))) {
        last ??= readLastFrame(event)
        if (last !== undefined) break
        limit.pause()
        yield event
      }
      limit.restart(last && END_MS)
    }
  } catch (cause) {
    if (last === undefined) throw cause
  }
  return last === undefined
    ? invalid(new Error('the stream ended without its outcome'))
    : asAnswer(last, response)
}

function invalid(cause: unknown): Unsent {
  return { ok: false, code: 'DEPENDENCY_INVALID_RESPONSE', cause }
}

function asAnswer({ outcome, trace, location }: LastFrame, { headers: fields }: Response): Sent {
  const none = { correlationId: 'none', requestId: 'none' }
  const { status, body, headers: own } = writeOutcome(outcome, trace ?? none)
  const value: ReceivedAnswer = { status, headers: new Headers([...fields, ...Object.entries(own)]), body }
  value.headers.set(headers.contentType, outcomes[outcome.type].mediaType)
  if (location !== undefined) value.headers.set('Location', location)
  return { ok: true, value }
}

interface Limit {
  readonly signal: AbortSignal
  /** Begins again, with another time if one is given. */
  restart(ms?: number): void
  /** Stops the clock while the operation works on an event. */
  pause(): void
  close(): void
}

/** A limit of the time to the head of an answer and between two parts of it. */
function createLimit(timeoutMs: number): Limit {
  const controller = new AbortController()
  const expire = () => controller.abort()
  let timer = setTimeout(expire, timeoutMs)
  return {
    signal: controller.signal,
    restart(ms = timeoutMs) {
      clearTimeout(timer)
      timer = setTimeout(expire, ms)
    },
    pause: () => clearTimeout(timer),
    close: () => clearTimeout(timer),
  }
}
