import {
  createEventParser,
  EVENT_STREAM_TYPE,
  type EventParser,
  headers,
  type LastFrame,
  mediaTypeEssence,
  outcomes,
  readLastFrame,
  type StreamEvent,
  statusOf,
  withOutcomeLimit,
} from '@agentic-rest/profile'
import { type Answer, type Answered, attachAnswer } from './answer.ts'
import { buildUrl } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { type Delivered, deliver, prepare } from './deliver.ts'
import { StreamError, TransportError } from './errors.ts'
import { readAnswer, readHead } from './read-answer.ts'
import type { Settings } from './settings.ts'

/** The options of a stream. */
export interface StreamOptions {
  /** Called once at the start of the stream, with headers, trace and profile version. */
  readonly onOpen?: ((answer: Answer) => void) | undefined
  /** The longest pause between two parts of the stream; no limit by default. */
  readonly idleTimeoutMs?: number | undefined
}

/** Sends a request and iterates over the events of its stream, its `outcome` frame included. Leaving the loop aborts the request. */
export async function* streamEvents(
  settings: Settings,
  request: ClientRequest,
  options: StreamOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const url = buildUrl(settings.base, request)
  const outgoing = prepare(settings, request, url)
  outgoing.headers.set('Accept', EVENT_STREAM_TYPE)
  const deadline = startDeadline({
    url,
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
  })
  try {
    const delivered = await deliver(settings, outgoing, deadline)
    const answer = await openStream(settings, delivered, deadline)
    options.onOpen?.(answer)
    for await (const event of eventsOf(settings, delivered, {
      deadline,
      idle: { timeoutMs: options.idleTimeoutMs ?? 0 },
    })) {
      const last = readLastFrame(event)
      // The last event of a broken stream is an error body (decision 26).
      if (last?.event === 'error') throw new StreamError('STREAM_FAILED', answeredBy(last, answer))
      yield event
    }
  } finally {
    deadline.close()
  }
}

/** Reads the head of a stream; throws the outcome of an ordinary answer. */
async function openStream(settings: Settings, delivered: Delivered, deadline: Deadline): Promise<Answer> {
  const answer = readHead(settings, delivered)
  if (isEventStream(answer)) return answer
  throw new StreamError('STREAM_REFUSED', await readAnswer(settings, delivered, deadline))
}

/** Whether an answer is an event stream. */
export function isEventStream({ status, headers: fields }: Answer): boolean {
  const essence = mediaTypeEssence(fields.get(headers.contentType) ?? undefined)
  return status === outcomes.success.status && essence === EVENT_STREAM_TYPE
}

/** The outcome of an `outcome` frame that `stream` has yielded; undefined for any other event. `onOpen` gives the answer. */
export function readOutcomeFrame(event: StreamEvent, answer: Answer): Answered | undefined {
  const last = readLastFrame(event)
  return last && answeredBy(last, answer)
}

/** The outcome of a last frame, as if it were the answer. */
export function answeredBy({ outcome, trace, location }: LastFrame, answer: Answer): Answered {
  const fields = new Headers(answer.headers)
  if (location !== undefined) fields.set('Location', location)
  return attachAnswer(outcome, {
    ...answer,
    headers: fields,
    status: statusOf(outcome),
    trace: trace ?? answer.trace,
  })
}

interface Opened {
  readonly deadline: Deadline
  /** The longest pause between two parts of the stream; 0 for no limit. */
  readonly idle: { timeoutMs: number }
}

/** The events of an open stream, as they are. */
export async function* eventsOf(
  settings: Settings,
  delivered: Delivered,
  { deadline, idle }: Opened,
): AsyncGenerator<StreamEvent, void, undefined> {
  const { maxEventLength, maxResponseBytes } = settings
  const parser = createEventParser(withOutcomeLimit(maxEventLength, maxResponseBytes))
  const decoder = new TextDecoder()
  const reader = delivered.response.body?.getReader()
  while (reader !== undefined) {
    const events = await nextEvents()
    if (events === undefined) return
    yield* events
  }

  async function nextEvents(): Promise<StreamEvent[] | undefined> {
    // The limit applies to the stream, not to the caller's work on its events.
    deadline.restart(idle.timeoutMs)
    try {
      const { done, value } = (await reader?.read()) ?? { done: true }
      deadline.restart(0)
      return done ? undefined : eventsIn(parser, decoder.decode(value, { stream: true }))
    } catch (error) {
      throw deadline.failure(error, delivered.sent)
    }
  }
}

function eventsIn(parser: EventParser, text: string): StreamEvent[] {
  try {
    return parser.push(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new TransportError('EVENT_TOO_LARGE', error.message)
  }
}
