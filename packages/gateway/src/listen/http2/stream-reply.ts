import type { ServerHttp2Stream } from 'node:http2'
import { hasNoContent, headerKey, invalidName, refuseForbiddenBytes } from '@agentic-rest/http1'
import type { Reply } from '../../exchange.ts'

/** The parts of a reply that depend on its request. */
export interface StreamReplyOptions {
  /** Headers for browsers of other origins, added to every answer. */
  readonly corsHeaders: readonly string[]
  readonly isHeadRequest: boolean
  /** The client sent `Expect: 100-continue` and waits. */
  readonly expectsContinue: boolean
  /** The value of the header `Date`. */
  readonly date: () => string
}

/** Bytes that wait for a client before its stream takes no more: a connection has a hundred streams. */
const HIGH_WATER_BYTES = 16_384
const LARGEST_STATUS = 599
const NOTHING: readonly string[] = []

// RFC 9113, section 8.2.2.
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])

/** The codes that end a stream or a connection (RFC 9113, section 7). */
export const ErrorCode = { noError: 0, internalError: 2, refusedStream: 7, enhanceYourCalm: 11 } as const

/** The answer to a client on a stream of HTTP/2. */
export class StreamReply implements Reply {
  isHeadSent = false
  /** The last byte was given to the stream. */
  isEnded = false
  /** The gateway reset the stream. */
  isCut = false
  private isOver = false
  private readonly stream: ServerHttp2Stream
  private readonly options: StreamReplyOptions
  private waitsForContinue: boolean
  /** The head until it leaves with the first bytes of the body. */
  private unsentHead: readonly string[] = NOTHING
  private hasBody = true
  private onDrained: (() => void) | undefined = undefined
  private onOver: (() => void)[] | undefined = undefined

  constructor(stream: ServerHttp2Stream, options: StreamReplyOptions) {
    this.stream = stream
    this.options = options
    this.waitsForContinue = options.expectsContinue
  }

  get isClosed(): boolean {
    return this.isOver || this.isEnded || this.stream.closed || this.stream.destroyed
  }

  get isFlushed(): boolean {
    return this.isEnded && (this.isOver || this.stream.writableFinished)
  }

  head(status: number, headers: readonly string[]): void {
    if (status > LARGEST_STATUS) throw new TypeError('HTTP/2 has no such status')
    const fields = fieldsOf(status, [...headers, ...this.options.corsHeaders])
    if (!fields.includes('date')) fields.push('date', this.options.date())
    this.hasBody = !this.options.isHeadRequest && !hasNoContent(status)
    this.isHeadSent = true
    this.unsentHead = fields
  }

  flush(): void {
    if (!this.isClosed) this.sendHead(false)
  }

  write(chunk: Uint8Array): boolean {
    if (this.isClosed) return false
    this.sendHead(false)
    if (!this.hasBody || chunk.length === 0) return true
    this.stream.write(chunk, this.written)
    return this.stream.writableLength < HIGH_WATER_BYTES
  }

  onDrain(listener: () => void): void {
    this.onDrained = listener
  }

  end(chunk?: Buffer): void {
    if (this.isClosed) return
    this.isEnded = true
    const hasContent = this.hasBody && chunk !== undefined && chunk.length > 0
    this.sendHead(!hasContent)
    if (hasContent) this.stream.end(chunk)
    else this.stream.end()
  }

  whenEnded(): Promise<void> {
    if (this.isOver) return Promise.resolve()
    return new Promise((resolve) => {
      this.onOver ??= []
      this.onOver.push(resolve)
    })
  }

  destroy(): void {
    if (this.isOver) return
    this.isCut = true
    // Node ends a stream before it resets it: a client would take the answer for complete.
    this.stream._final = (done) => done()
    this.stream.close(ErrorCode.internalError)
  }

  /** Sends `100 Continue` when the client waits for it. */
  sendContinue(): void {
    if (this.waitsForContinue && !this.isClosed && !this.stream.headersSent)
      this.stream.additionalHeaders({ ':status': 100 })
    this.waitsForContinue = false
  }

  /** The stream is done with this answer, sent or not. */
  over(): void {
    if (this.isOver) return
    this.isOver = true
    for (const settle of this.onOver ?? []) settle()
  }

  private sendHead(isEnd: boolean): void {
    if (this.unsentHead.length === 0) return
    const fields = this.unsentHead
    this.unsentHead = NOTHING
    // Node adds `:status` and `date` to a list without them: it gets a list that it may change.
    this.stream.respond([...fields], { endStream: isEnd })
  }

  /** Node has no event for a limit that is lower than its own. */
  private readonly written = () => {
    if (this.onDrained === undefined || this.stream.writableLength >= HIGH_WATER_BYTES) return
    const { onDrained } = this
    this.onDrained = undefined
    onDrained()
  }
}

/** Names are in lower case (RFC 9113, section 8.2.1). Throws for a header that could be read as more than one. */
function fieldsOf(status: number, headers: readonly string[]): string[] {
  refuseForbiddenBytes(headers)
  const fields = [':status', String(status)]
  for (let index = 0; index < headers.length; index += 2) {
    const name = headerKey(headers[index] ?? '')
    if (name === '') throw invalidName()
    if (!CONNECTION_HEADERS.has(name)) fields.push(name, headers[index + 1] ?? '')
  }
  return fields
}
