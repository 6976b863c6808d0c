import { EVENT_STREAM_TYPE, outcomes, readLastFrame, type StreamEvent } from '@agentic-rest/profile'
import type { Answer, Answered } from './answer.ts'
import { buildUrl } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { type Delivered, deliver, prepare } from './deliver.ts'
import { TransportError } from './errors.ts'
import { readAnswer, readHead } from './read-answer.ts'
import type { Settings } from './settings.ts'
import { answeredBy, eventsOf, isEventStream } from './stream.ts'

/** Gets the events of a run, without the last frame. A promise makes the stream wait. */
export type EventHandler = (event: StreamEvent) => void | Promise<void>

const ACCEPT = `${outcomes.success.mediaType}, ${EVENT_STREAM_TYPE}`
// A service ends its stream right after the last frame.
const END_MS = 2000

/** Sends a request, hands the events of its stream to a handler and resolves with the outcome of the last frame or of an ordinary answer. */
export async function exchangeEvents(
  settings: Settings,
  request: ClientRequest,
  onEvent: EventHandler,
): Promise<Answered> {
  const url = buildUrl(settings.base, request)
  const outgoing = prepare(settings, request, url)
  if (!outgoing.headers.has('Accept')) outgoing.headers.set('Accept', ACCEPT)
  const deadline = startDeadline({
    url,
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
  })
  try {
    const delivered = await deliver(settings, outgoing, deadline)
    const answer = readHead(settings, delivered)
    if (!isEventStream(answer)) return await readAnswer(settings, delivered, deadline)
    return await lastOutcome(settings, { delivered, answer, deadline, url }, onEvent)
  } finally {
    deadline.close()
  }
}

interface Opened {
  readonly delivered: Delivered
  readonly answer: Answer
  readonly deadline: Deadline
  readonly url: URL
}

async function lastOutcome(
  settings: Settings,
  { delivered, answer, deadline, url }: Opened,
  onEvent: EventHandler,
): Promise<Answered> {
  const idle = { timeoutMs: 0 }
  const events = eventsOf(settings, delivered, { deadline, idle })
  let outcome: Answered | undefined
  try {
    // The stream is read to its end: a connection that is left early looks like a client that went away.
    for (;;) {
      const { done, value: event } = await nextOf(events)
      if (done || outcome !== undefined) break
      const last = readLastFrame(event)
      if (last === undefined) await onEvent(event)
      else outcome = answeredBy(last, answer)
      if (last !== undefined) idle.timeoutMs = END_MS
    }
  } catch (error) {
    if (outcome !== undefined) return outcome
    throw error
  }
  if (outcome !== undefined) return outcome
  throw failed(undefined)

  /** A connection that breaks is a stream without its last frame. Sending the request again would repeat its events. */
  async function nextOf(source: typeof events) {
    try {
      return await source.next()
    } catch (error) {
      throw error instanceof TransportError && error.code === 'NETWORK' ? failed(error) : error
    }
  }

  function failed(cause: unknown): TransportError {
    const message = 'the stream ended without its outcome'
    return new TransportError('STREAM_FAILED', message, { cause, trace: answer.trace, url })
  }
}
