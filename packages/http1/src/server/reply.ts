import type { Socket } from 'node:net'
import { HeadBuffer } from '../head-buffer.ts'
import type { WireHead } from './request-lines.ts'
import { answerHead, hasNoContent, tellsLength } from './write-head.ts'

/** A connection, as its answers see it. */
export interface AnsweredConnection {
  readonly socket: Socket
  /** The value of the header `Date`. */
  date(): string
  /** The connection ends with its next answer. */
  readonly isDraining: boolean
  /** Whether the connection ends with the answer that is about to be sent. */
  endsWithAnswer(): boolean
  /** The last byte of an answer was given to the socket. */
  answered(reply: ClientReply): void
  /** Cuts the connection. */
  destroy(): void
}

/** The parts of a reply that depend on its request. */
export interface ReplyOptions {
  readonly head: Pick<WireHead, 'method' | 'httpVersion'>
  /** Headers for browsers of other origins, added to every answer. */
  readonly corsHeaders: readonly string[]
  /** The connection ends with this answer, whatever it is. */
  readonly isLast: boolean
  /** The client sent `Expect: 100-continue` and waits. */
  readonly expectsContinue: boolean
}

const SMALL_BODY_BYTES = 16_384
/** Unsent bytes from which on the sender is to wait. Node's own mark is four times as high, for each client that does not read. */
const MAX_UNSENT_BYTES = 16_384

/** Shared by all answers: each head is made and sent in one turn, or put in again. */
const heads = new HeadBuffer()

/** The answer to a client over HTTP/1.1. */
export class ClientReply {
  /** The connection ends with this answer. */
  closes = false
  /** The head was made before the end of the connection was known. */
  promisesConnection = false
  /** The last byte was given to the socket. */
  isEnded = false
  isHeadSent = false
  /** The connection carries another request, or nothing more. */
  private isOver = false
  private readonly connection: AnsweredConnection
  private readonly options: ReplyOptions
  private waitsForContinue: boolean
  /** The head until it leaves with the first bytes of the body. */
  private unsentHead = ''
  private framing: 'none' | 'length' | 'chunked' | 'until-close' = 'none'
  private onDrained: (() => void) | undefined = undefined
  private onOver: (() => void)[] | undefined = undefined

  constructor(connection: AnsweredConnection, options: ReplyOptions) {
    this.connection = connection
    this.options = options
    this.waitsForContinue = options.expectsContinue
  }

  get isClosed(): boolean {
    return this.isOver || this.isEnded
  }

  /** The kernel has every byte. */
  get isFlushed(): boolean {
    return this.isEnded && (this.isOver || this.connection.socket.writableLength === 0)
  }

  head(status: number, headers: readonly string[]): void {
    const { corsHeaders, head } = this.options
    const isOld = head.httpVersion !== '1.1'
    const closes = this.closesConnection(isOld, headers)
    const { text, framing } = answerHead(
      status,
      corsHeaders.length === 0 ? headers : [...headers, ...corsHeaders],
      {
        hasBody: head.method !== 'HEAD' && !hasNoContent(status),
        isOld,
        closes,
        date: this.connection.date(),
        heads,
      },
    )
    this.closes = closes
    this.promisesConnection = !closes && !this.connection.isDraining
    this.isHeadSent = true
    this.unsentHead = text
    this.framing = framing
  }

  flush(): void {
    if (this.isClosed || this.unsentHead === '') return
    this.connection.socket.write(this.takeHead(), 'latin1')
  }

  write(chunk: Uint8Array): boolean {
    if (this.isClosed) return false
    if (this.framing === 'none' || chunk.length === 0) {
      this.flush()
      return true
    }
    this.writePart(chunk, '')
    return this.connection.socket.writableLength < MAX_UNSENT_BYTES
  }

  onDrain(listener: () => void): void {
    this.onDrained = listener
    const { socket } = this.connection
    // Below its own mark the socket has no event for the moment when everything has left.
    if (!socket.writableNeedDrain) socket.write('', (error) => error ?? this.drained())
  }

  end(chunk?: Buffer): void {
    if (this.isClosed) return
    this.isEnded = true
    const last = this.framing === 'chunked' ? '0\r\n\r\n' : ''
    if (chunk !== undefined && chunk.length > 0 && this.framing !== 'none') this.writePart(chunk, last)
    else if (this.unsentHead !== '' || last !== '')
      this.connection.socket.write(this.takeHead() + last, 'latin1')
    this.connection.answered(this)
  }

  whenEnded(): Promise<void> {
    if (this.isOver) return Promise.resolve()
    return new Promise((resolve) => {
      this.onOver ??= []
      this.onOver.push(resolve)
    })
  }

  destroy(): void {
    if (!this.isOver) this.connection.destroy()
  }

  /** Sends `100 Continue` when the client waits for it. */
  sendContinue(): void {
    // Behind the head of the answer it would become part of its body.
    if (this.waitsForContinue && !this.isClosed && !this.isHeadSent)
      this.connection.socket.write('HTTP/1.1 100 Continue\r\n\r\n', 'latin1')
    this.waitsForContinue = false
  }

  /** The socket takes bytes again. */
  drained(): void {
    const { onDrained } = this
    this.onDrained = undefined
    onDrained?.()
  }

  /** The connection is done with this answer, sent or not. */
  over(): void {
    if (this.isOver) return
    this.isOver = true
    for (const settle of this.onOver ?? []) settle()
  }

  /** Sends a part of the body in one write with what is before and behind it. */
  private writePart(chunk: Uint8Array, last: string): void {
    const { socket } = this.connection
    const isChunked = this.framing === 'chunked'
    const before = isChunked ? `${this.takeHead()}${chunk.length.toString(16)}\r\n` : this.takeHead()
    const behind = isChunked ? `\r\n${last}` : ''
    const isSmall = chunk.length <= SMALL_BODY_BYTES
    if (isSmall && !isChunked) heads.write(socket, before, chunk)
    // As text a small part leaves in one piece, not in a list of three.
    else if (isSmall) socket.write(before + bufferOf(chunk).toString('latin1') + behind, 'latin1')
    else if (before === '') socket.write(chunk)
    else writeList(socket, chunk, { before, behind })
  }

  private takeHead(): string {
    const text = this.unsentHead
    this.unsentHead = ''
    return text
  }

  private closesConnection(isOld: boolean, headers: readonly string[]): boolean {
    // A client that was never told to continue may or may not send its body: the next bytes cannot be framed.
    if (this.options.isLast || this.waitsForContinue) return true
    return this.connection.endsWithAnswer() || (isOld && !tellsLength(headers))
  }
}

function writeList(
  socket: Socket,
  chunk: Uint8Array,
  { before, behind }: { readonly before: string; readonly behind: string },
): void {
  socket.cork()
  socket.write(before, 'latin1')
  socket.write(chunk)
  if (behind !== '') socket.write(behind, 'latin1')
  socket.uncork()
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
