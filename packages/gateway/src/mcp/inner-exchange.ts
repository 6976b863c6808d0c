import type { InnerAnswer, InnerRequest, readEvents } from '@agentic-rest/mcp'
import { headerKeys, headers as headerNames, mediaTypeEssence, writeOutcome } from '@agentic-rest/profile'
import { type ErrorCode, invalidRequest, refusal } from '../errors.ts'
import {
  type ByteAccount,
  Cancellation,
  Exchange,
  type McpCall,
  type Reply,
  type RequestBody,
} from '../exchange.ts'
import { canonicalTarget } from '../listen/canonical-path.ts'

/** The options of an inner exchange. */
export interface InnerOptions {
  /** The exchange of the MCP client. */
  readonly outer: Exchange
  readonly spanId: string
  readonly forwardsToken: boolean
  /** The most bytes of an answer that is not a stream. */
  readonly maxBytes: number
  /** Takes the exchange through all steps of a request. */
  readonly run: (exchange: Exchange) => Promise<void>
  readonly readEvents: typeof readEvents
}

const EVENT_STREAM = 'text/event-stream'

/** Sends the request of a call through the gateway: the same steps, limits and records as for a request of a client. */
export async function sendInner(request: InnerRequest, options: InnerOptions): Promise<InnerAnswer> {
  const acceptsEvents = request.headers['Accept'] === EVENT_STREAM
  const reply = new MemoryReply({ ...options, acceptsEvents })
  const exchange = innerExchange(request, reply, options)
  const cancel = () => exchange.signal.cancel('client_disconnect')
  reply.onAbandoned = cancel
  request.signal.addEventListener('abort', cancel, { once: true })
  if (request.signal.aborted) cancel()
  const ended = options
    .run(exchange)
    .catch(() => undefined)
    .finally(() => {
      request.signal.removeEventListener('abort', cancel)
      reply.destroy()
    })
  const answer = await reply.answer
  // A record is written before its result is seen; a stream is seen while it runs.
  if (answer !== undefined && answer.events === undefined) await ended
  if (answer !== undefined) return answer
  const code: ErrorCode = reply.isTooLarge ? 'UPSTREAM_INVALID_RESPONSE' : 'UPSTREAM_UNAVAILABLE'
  return writeOutcome(refusal(code), exchange.trace)
}

function innerExchange(request: InnerRequest, reply: Reply, options: InnerOptions): Exchange {
  const { outer, spanId, forwardsToken } = options
  const body = request.body === undefined ? undefined : Buffer.from(request.body)
  const forwardedFor = outer.headers['x-forwarded-for']
  const rawHeaders = Object.entries({
    Host: outer.headers['host'] ?? '',
    ...request.headers,
    // Believed only from trusted proxies, as for the outer request.
    ...(forwardedFor !== undefined && { 'X-Forwarded-For': forwardedFor }),
    ...(body !== undefined && { [headerNames.contentType]: 'application/json' }),
  }).flat()
  const headers = collect(rawHeaders)
  const target = canonicalTarget(request.path, undefined)
  const exchange = new Exchange(
    {
      method: request.method,
      path: target.ok ? target.path : '/',
      query: target.ok ? target.query : '',
      headers,
      rawHeaders,
      trace: {
        correlationId: headers[headerKeys.correlationId] ?? outer.trace.correlationId,
        requestId: headers[headerKeys.requestId] ?? outer.trace.requestId,
      },
      headFault: target.ok ? undefined : invalidRequest('path', target.message),
    },
    {
      body: new MemoryBody(body),
      reply,
      signal: new Cancellation(),
      clientAddress: outer.clientAddress,
      protocol: outer.protocol,
      certificateDigest: outer.certificateDigest,
      spanId,
      startedAt: performance.now(),
    },
  )
  exchange.mcpCall = { ...request.facts, forwardsToken } satisfies McpCall
  return exchange
}

function collect(rawHeaders: readonly string[]): Record<string, string | undefined> {
  const headers: Record<string, string | undefined> = Object.create(null)
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[(rawHeaders[index] ?? '').toLowerCase()] = rawHeaders[index + 1]
  return headers
}

/** A body that is in memory from the start. */
class MemoryBody implements RequestBody {
  isReplaced = false
  readonly isRead = true
  #bytes: Buffer
  #account: ByteAccount | undefined

  constructor(bytes: Buffer = Buffer.alloc(0)) {
    this.#bytes = bytes
  }

  get length(): number {
    return this.#bytes.length
  }

  async read(maxBytes: number): Promise<Buffer | undefined> {
    return this.arrived(maxBytes)
  }

  arrived(maxBytes: number): Buffer | undefined {
    return this.#bytes.length <= maxBytes ? this.#bytes : undefined
  }

  holdIn(account: ByteAccount): void {
    this.#account = account
    account.add(this.#bytes.length)
  }

  replace(bytes: Buffer): void {
    this.isReplaced = true
    this.#account?.add(bytes.length - this.#bytes.length)
    this.#bytes = bytes
  }

  content(): Buffer | undefined {
    return this.#bytes.length === 0 ? undefined : this.#bytes
  }
}

interface ReplyOptions extends Pick<InnerOptions, 'maxBytes' | 'readEvents'> {
  /** The request accepts an event stream. Events that nobody asked for are a text. */
  readonly acceptsEvents: boolean
}

/** The bytes of a stream that may wait for their reader. */
const HIGH_WATER_BYTES = 65_536

/** Takes an answer into memory: the whole of it, or the events of a stream as they come. */
class MemoryReply implements Reply {
  isHeadSent = false
  isClosed = false
  isTooLarge = false
  /** Called when nobody wants the rest of the answer. */
  onAbandoned: () => void = () => undefined
  /** The answer; undefined if there is no complete one. */
  readonly answer: Promise<InnerAnswer | undefined>
  readonly #resolve: (answer: InnerAnswer | undefined) => void
  readonly #options: ReplyOptions
  readonly #ended = Promise.withResolvers<void>()
  #status = 0
  #headers: Record<string, string | undefined> = {}
  #chunks: Uint8Array[] = []
  #length = 0
  #isStream = false
  #wakeReader: () => void = () => undefined
  #drained: (() => void) | undefined

  constructor(options: ReplyOptions) {
    const { promise, resolve } = Promise.withResolvers<InnerAnswer | undefined>()
    this.answer = promise
    this.#resolve = resolve
    this.#options = options
  }

  get isFlushed(): boolean {
    return this.isClosed
  }

  head(status: number, headers: readonly string[]): void {
    this.isHeadSent = true
    this.#status = status
    this.#headers = collect(headers)
    this.#isStream =
      this.#options.acceptsEvents &&
      mediaTypeEssence(this.#headers[headerNames.contentType.toLowerCase()]) === EVENT_STREAM
    if (this.#isStream)
      this.#resolve({ ...this.#answered(''), events: this.#options.readEvents(this.#read()) })
  }

  flush(): void {}

  write(chunk: Uint8Array): boolean {
    if (this.isClosed) return true
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#isStream) {
      this.#wakeReader()
      return this.#length < HIGH_WATER_BYTES
    }
    if (this.#length > this.#options.maxBytes) {
      this.isTooLarge = true
      this.#abandon()
    }
    return true
  }

  onDrain(listener: () => void): void {
    this.#drained = listener
  }

  end(chunk?: Buffer): void {
    if (chunk !== undefined) this.write(chunk)
    if (this.isClosed) return
    if (!this.#isStream) this.#resolve(this.#answered(Buffer.concat(this.#chunks).toString()))
    this.#close()
  }

  whenEnded(): Promise<void> {
    return this.#ended.promise
  }

  destroy(): void {
    if (this.isClosed) return
    this.#resolve(undefined)
    this.#close()
  }

  #abandon(): void {
    this.destroy()
    this.onAbandoned()
  }

  #close(): void {
    this.isClosed = true
    this.#wakeReader()
    this.#ended.resolve()
  }

  #answered(body: string): InnerAnswer {
    return { status: this.#status, headers: this.#headers, body }
  }

  async *#read(): AsyncGenerator<Uint8Array, void> {
    try {
      while (!this.isClosed || this.#chunks.length > 0) {
        yield* this.#take()
        if (this.isClosed || this.#chunks.length > 0) continue
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve
        })
      }
    } finally {
      if (!this.isClosed) this.#abandon()
    }
  }

  #take(): readonly Uint8Array[] {
    const chunks = this.#chunks
    this.#chunks = []
    this.#length = 0
    const drained = this.#drained
    this.#drained = undefined
    drained?.()
    return chunks
  }
}
