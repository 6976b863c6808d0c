import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Reply } from '../exchange.ts'
import type { Connection } from './connection.ts'

/** The parts of a reply that depend on its request and its connection. */
export interface ReplyContext {
  readonly request: IncomingMessage
  readonly connection: Connection
  /** Headers for browsers of other origins, added to every answer. */
  readonly corsHeaders: readonly string[]
  /** The connection ends with this answer, whatever it is. */
  readonly isLast: boolean
  /** The client sent `Expect: 100-continue` and waits. */
  readonly expectsContinue: boolean
  readonly isDraining: () => boolean
}

const NOTHING = Buffer.alloc(0)
const SMALL_BODY_BYTES = 16_384
const NONE: readonly string[] = []
const CLOSE: readonly string[] = ['Connection', 'close']

/** The answer to a client over `node:http`. */
export class ClientReply implements Reply {
  private readonly response: ServerResponse
  private readonly context: ReplyContext
  private waitsForContinue: boolean

  constructor(response: ServerResponse, context: ReplyContext) {
    this.response = response
    this.context = context
    this.waitsForContinue = context.expectsContinue
  }

  get isHeadSent(): boolean {
    return this.response.headersSent
  }

  get isClosed(): boolean {
    return this.response.destroyed || this.response.writableEnded
  }

  /** The kernel has every byte, though the response emits `finish` only in a later turn. */
  get isFlushed(): boolean {
    return this.response.writableEnded && this.response.socket?.writableLength === 0
  }

  head(status: number, headers: readonly string[]): void {
    const { corsHeaders } = this.context
    const closing = this.closesConnection(headers) ? CLOSE : NONE
    const isPlain = corsHeaders.length + closing.length === 0
    this.response.writeHead(
      status,
      isPlain ? (headers as string[]) : [...headers, ...corsHeaders, ...closing],
    )
  }

  flush(): void {
    // Not `flushHeaders`, which would write header values as UTF-8: they are bytes, kept as latin1.
    this.response.write(NOTHING)
  }

  write(chunk: Uint8Array): boolean {
    return this.response.write(chunk)
  }

  onDrain(listener: () => void): void {
    this.response.once('drain', listener)
  }

  end(chunk?: Buffer): void {
    // As text a small body leaves in one write with its head, not in a list of two.
    if (chunk !== undefined && chunk.length <= SMALL_BODY_BYTES)
      this.response.end(chunk.toString('latin1'), 'latin1')
    else this.response.end(chunk)
  }

  whenEnded(): Promise<void> {
    if (this.response.closed) return Promise.resolve()
    return new Promise((resolve) => this.response.once('close', resolve))
  }

  destroy(): void {
    this.response.destroy()
  }

  /** Sends `100 Continue` when the client waits for it. */
  sendContinue(): void {
    if (this.waitsForContinue) this.response.writeContinue()
    this.waitsForContinue = false
  }

  private closesConnection(headers: readonly string[]): boolean {
    const { request, connection, isLast, isDraining } = this.context
    // While draining, requests behind this one on the connection are still answered.
    const drained = isDraining() && connection.newest?.response === this.response
    // A client that was never told to continue may or may not send its body: the next bytes cannot be framed.
    const closes = isLast || this.waitsForContinue || drained || endsWithConnection(request, headers)
    connection.closing ||= closes
    connection.ended ||= closes
    return closes
  }
}

/** HTTP/1.0 has no chunks: Node ends a body without a length by closing the connection. */
function endsWithConnection({ httpVersion }: IncomingMessage, headers: readonly string[]): boolean {
  if (httpVersion !== '1.0') return false
  return !headers.some((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length')
}
