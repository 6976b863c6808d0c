import {
  createEventParser,
  type EventParser,
  headers,
  mediaTypeEssence,
  outcomes,
  readOutcome,
  type StreamEvent,
} from '@agentic-rest/profile'
import type { Answer, Answered } from './answer.ts'
import { buildUrl } from './build-url.ts'
import type { ClientRequest } from './client-request.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { type Delivered, deliver, prepare } from './deliver.ts'
import { StreamError, TransportError } from './errors.ts'
import { readAnswer, readHead, takeOutcome } from './read-answer.ts'
import type { Settings } from './settings.ts'

const EVENT_STREAM = 'text/event-stream'

/** The options of a stream. */
export interface StreamOptions {
  /** Called once at the start of the stream, with headers, trace and profile version. */
  readonly onOpen?: ((answer: Answer) => void) | undefined
  /** The longest pause between two parts of the stream; no limit by default. */
  readonly idleTimeoutMs?: number | undefined
}

/** Sends a request and iterates over the events of its stream. Leaving the loop aborts the request. */
export async function* streamEvents(
  settings: Settings,
  request: ClientRequest,
  options: StreamOptions,
): AsyncGenerator<StreamEvent, void, undefined> {
  const url = buildUrl(settings.base, request)
  const outgoing = prepare(settings, request, url)
  outgoing.headers.set('Accept', EVENT_STREAM)
  const deadline = startDeadline({
    url,
    signal: request.signal,
    timeoutMs: request.timeoutMs ?? settings.timeoutMs,
  })
  try {
    const delivered = await deliver(settings, outgoing, deadline)
    const answer = await openStream(settings, delivered, deadline)
    options.onOpen?.(answer)
    yield* eventsOf(settings, delivered, { deadline, answer, idleTimeoutMs: options.idleTimeoutMs ?? 0 })
  } finally {
    deadline.close()
  }
}

/** Reads the head of a stream; throws the outcome of an ordinary answer. */
async function openStream(settings: Settings, delivered: Delivered, deadline: Deadline): Promise<Answer> {
  const answer = readHead(settings, delivered)
  const essence = mediaTypeEssence(answer.headers.get(headers.contentType) ?? undefined)
  if (answer.status === outcomes.success.status && essence === EVENT_STREAM) return answer
  throw new StreamError('STREAM_REFUSED', await readAnswer(settings, delivered, deadline))
}

interface Opened {
  readonly deadline: Deadline
  readonly answer: Answer
  readonly idleTimeoutMs: number
}

async function* eventsOf(
  settings: Settings,
  delivered: Delivered,
  { deadline, answer, idleTimeoutMs }: Opened,
): AsyncGenerator<StreamEvent, void, undefined> {
  const parser = createEventParser(settings.maxEventLength)
  const decoder = new TextDecoder()
  const reader = delivered.response.body?.getReader()
  while (reader !== undefined) {
    const events = await nextEvents()
    if (events === undefined) return
    for (const event of events) {
      throwLastFrame(event, answer)
      yield event
    }
  }

  async function nextEvents(): Promise<StreamEvent[] | undefined> {
    // The limit applies to the stream, not to the caller's work on its events.
    deadline.restart(idleTimeoutMs)
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

/** The last event of a broken stream is an error body from the gateway (decision 26). */
function throwLastFrame({ event, data }: StreamEvent, answer: Answer): void {
  const failure = event === 'error' ? readErrorBody(data, answer) : undefined
  if (failure !== undefined) throw new StreamError('STREAM_FAILED', failure)
}

/** An upstream may send its own error events; only a body of the profile is an outcome. */
function readErrorBody(data: string, answer: Answer): Answered | undefined {
  for (const type of ['error', 'failed_dependency', 'forbidden'] as const) {
    const { status, mediaType } = outcomes[type]
    const reading = readOutcome({ status, headers: { [headers.contentType]: mediaType }, body: data })
    if (reading.ok) return takeOutcome(reading, answer)
  }
  return undefined
}
