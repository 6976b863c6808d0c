import { EVENT_STREAM_TYPE, headers, type Outcome, PROFILE_VERSION, type Trace } from '@agentic-rest/profile'
import { type Answer, addedHeaders } from '../answer.ts'
import type { StreamCounts } from '../metrics.ts'
import { refusal } from '../refusals.ts'
import type { WrittenEvent } from './event.ts'
import { EventBody, EventReadable } from './event-body.ts'
import type { StreamEnd } from './raw.ts'

/** The limits of the streams of a service. */
export interface StreamSettings {
  /** The pause after which a comment keeps proxies from closing a quiet stream; 15 by default, 0 is off. */
  readonly heartbeatSeconds?: number
  /** The longest time of a stream; no limit by default. A longer one ends with `EXECUTION_TIMEOUT`. */
  readonly timeoutSeconds?: number
}

// The longest time of a timer of the platform; a longer one would fire at once.
const MAX_SECONDS = 2_147_483

/** Checks the settings of a service; throws a `TypeError` for times that no timer can have. */
export function readStreamSettings(settings: StreamSettings = {}): StreamSettings {
  const { heartbeatSeconds = 15, timeoutSeconds } = settings
  if (!(heartbeatSeconds >= 0 && heartbeatSeconds <= MAX_SECONDS))
    throw new TypeError(`streams.heartbeatSeconds has to be a number from 0 to ${MAX_SECONDS}`)
  if (timeoutSeconds !== undefined && !(timeoutSeconds > 0 && timeoutSeconds <= MAX_SECONDS))
    throw new TypeError(`streams.timeoutSeconds has to be a positive number up to ${MAX_SECONDS}`)
  return { ...settings, heartbeatSeconds }
}

/** The request of a stream. */
interface StreamRequest {
  readonly signal: AbortSignal
  /** Aborted when the service no longer waits for its requests. */
  readonly closing: AbortSignal
  readonly trace: Trace
  readonly counts: StreamCounts
  readonly settings: StreamSettings
}

/** The head of every event stream. */
export function streamHeaders({ correlationId, requestId }: Trace, own: Answer['headers']) {
  return {
    ...addedHeaders(own),
    [headers.contentType]: EVENT_STREAM_TYPE,
    [headers.profile]: PROFILE_VERSION,
    [headers.correlationId]: correlationId,
    [headers.requestId]: requestId,
    'Cache-Control': 'no-cache',
    'X-Accel-Buffering': 'no',
  }
}

/** The answer to a caller that accepts event streams. Until `open` it has no timer and no body. */
export class StreamedAnswer {
  /** Resolves when the stream is open. */
  readonly opened: Promise<'opened'>
  /** Resolves with the failure of a stream that may not go on: it took too long, or the service closes. */
  readonly cut: Promise<Outcome>
  /** Aborted when the reader leaves or the stream is cut. */
  readonly signal: AbortSignal
  private readonly request: StreamRequest
  private readonly stop = new AbortController()
  private readonly resolveOpened: (opened: 'opened') => void
  private readonly resolveCut: (outcome: Outcome) => void
  private readonly startedAt = performance.now()
  private operation = ''
  private own: Answer['headers'] = {}
  private body: EventBody | undefined
  private timer: ReturnType<typeof setTimeout> | undefined
  private events = 0
  private firstEventMs: number | undefined
  private isLeft = false

  constructor(request: StreamRequest) {
    this.request = request
    this.signal = this.stop.signal
    const opened = Promise.withResolvers<'opened'>()
    const cut = Promise.withResolvers<Outcome>()
    this.opened = opened.promise
    this.cut = cut.promise
    this.resolveOpened = opened.resolve
    this.resolveCut = cut.resolve
  }

  /** Sends the head of the stream of an operation. */
  open(operation: string, own: Answer['headers']): void {
    const { settings, closing, signal, counts } = this.request
    const { heartbeatSeconds = 15, timeoutSeconds } = settings
    this.operation = operation
    this.body = new EventBody({ heartbeatSeconds, onLeave: this.onLeave })
    if (timeoutSeconds !== undefined) this.timer = setTimeout(this.onTimeout, 1000 * timeoutSeconds)
    closing.addEventListener('abort', this.onClosing)
    signal.addEventListener('abort', this.onAbort)
    counts.opened()
    this.own = own
    this.resolveOpened('opened')
    if (signal.aborted) this.onAbort()
  }

  /** Creates the response of an open stream. Nothing here holds it, so that an idle stream costs no web stream. */
  toResponse(): Response {
    const { request, own, body } = this
    return new Response(body && new EventReadable(body), { headers: streamHeaders(request.trace, own) })
  }

  /** Sends an event when the reader wants it; false if it may not be sent any more. */
  async push({ text }: WrittenEvent): Promise<boolean> {
    const isSent = (await this.body?.push(text)) ?? false
    if (!isSent) return false
    this.firstEventMs ??= performance.now() - this.startedAt
    this.events += 1
    this.request.counts.sent(this.operation)
    return true
  }

  /** Ends the stream with its last frame; resolves when the reader has it or has left. */
  async end(text: string): Promise<void> {
    const { closing, signal, counts } = this.request
    clearTimeout(this.timer)
    closing.removeEventListener('abort', this.onClosing)
    this.body?.end(text)
    await this.body?.taken
    signal.removeEventListener('abort', this.onAbort)
    counts.closed()
  }

  hasLeft(): boolean {
    return this.isLeft
  }

  /** The fields of the audit record. */
  attributes(isFault: boolean): Readonly<Record<string, string>> {
    const end: StreamEnd = this.isLeft ? 'client_disconnect' : isFault ? 'error' : 'complete'
    return {
      events: String(this.events),
      end,
      duration_ms: String(Math.round(performance.now() - this.startedAt)),
      ...(this.firstEventMs !== undefined && { first_event_ms: String(Math.round(this.firstEventMs)) }),
    }
  }

  private readonly onLeave = (): void => {
    this.isLeft = true
    this.stop.abort(new Error('the reader of the stream has left'))
  }

  private readonly onAbort = (): void => this.body?.leave()

  private readonly onClosing = (): void => this.resolveCut(refusal('SHUTTING_DOWN'))

  private readonly onTimeout = (): void => {
    this.stop.abort(new Error('the stream took longer than it may'))
    this.resolveCut(refusal('EXECUTION_TIMEOUT'))
  }
}
