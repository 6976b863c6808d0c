import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { HeadBuffer } from '../head-buffer.ts'

/** A request in the form of the wire. */
export interface WireRequest {
  readonly method: string
  readonly path: string
  /** Names and values in turn, without `Host` and framing, which only the writer sets (F1). */
  readonly headers: readonly string[]
  readonly body: Buffer | Readable | undefined
  /** The length of the body, if it is known at the time of sending. */
  readonly length: number | undefined
  /** It is written only to an open connection, so that its body stays whole without one. */
  readonly waitsForConnection?: boolean
}

const SMALL_BODY_BYTES = 16_384

/** Shared by all connections: each head is made and sent in one turn. */
const heads = new HeadBuffer()

/** Writes the requests of one connection; `onFailed` gets the error of a body that cannot be sent completely. */
export class RequestWriter {
  private readonly socket: Socket
  private readonly host: string
  private readonly onFailed: (error: Error) => void
  private streaming: StreamedBody | undefined = undefined

  constructor(socket: Socket, host: string, onFailed: (error: Error) => void) {
    this.socket = socket
    this.host = host
    this.onFailed = onFailed
  }

  /** A part of the body is not sent yet. Bytes in the kernel's buffer count as sent: the process cannot know more. */
  get isWriting(): boolean {
    return this.streaming !== undefined || this.socket.writableLength > 0
  }

  /** Throws for a request that cannot be written safely. */
  write(request: WireRequest): void {
    const { body } = request
    refuseDestroyed(body)
    const head = headText(request, this.host)
    if (body === undefined || isSmall(body)) return void heads.write(this.socket, head, body)
    // One system call for head and body.
    this.socket.cork()
    this.socket.write(head, 'latin1')
    if (Buffer.isBuffer(body)) this.socket.write(body)
    else this.streaming = new StreamedBody(this.socket, body, this.streamOptions(request))
    this.socket.uncork()
  }

  /** Drops the rest of the body. */
  stop(): void {
    this.streaming?.drop()
  }

  private streamOptions({ length }: WireRequest): StreamOptions {
    const onSent = () => {
      this.streaming = undefined
    }
    return { length, onSent, onFailed: this.onFailed }
  }
}

function isSmall(body: Buffer | Readable): body is Buffer {
  return Buffer.isBuffer(body) && body.length <= SMALL_BODY_BYTES
}

/** A body may be refused, or its client may leave, before it is sent: the stream would emit no further event. */
function refuseDestroyed(body: WireRequest['body']): void {
  if (body === undefined || Buffer.isBuffer(body) || !body.destroyed) return
  throw body.errored ?? new Error('the body was cut off')
}

const FORBIDDEN_IN_TARGET = /[^\x21-\x7e]/

// Servers may require a length for these even without a body (RFC 9110, section 8.6).
const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH'])

/** The head of a request. Throws for a header or target that could be read as more than one. */
function headText({ method, path, headers, body, length }: WireRequest, host: string): string {
  if (FORBIDDEN_IN_TARGET.test(path)) throw new TypeError('the target holds a byte that may not be sent')
  // A broken server may answer HEAD with a body, which must not be read as the next answer.
  const connection = method === 'HEAD' ? 'close' : 'keep-alive'
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: ${connection}\r\n`
  for (let index = 0; index < headers.length; index += 2)
    text += `${headers[index]}: ${headers[index + 1]}\r\n`
  const framing = framingText(method, body, length)
  text += framing
  heads.check(text, headers.length / 2 + OWN_LINES + (framing === EMPTY_LINE ? 0 : 1))
  return text
}

/** The request line, `host`, `connection` and the empty line. */
const OWN_LINES = 4
const EMPTY_LINE = '\r\n'

/** The header about the body, if there is one, and the end of the head. */
function framingText(method: string, body: WireRequest['body'], length: number | undefined): string {
  if (body === undefined)
    return METHODS_WITH_BODY.has(method) ? `content-length: 0\r\n${EMPTY_LINE}` : EMPTY_LINE
  // A known length is sent, because some services refuse chunked bodies; the number is ours, not the client's text.
  return length === undefined
    ? `transfer-encoding: chunked\r\n${EMPTY_LINE}`
    : `content-length: ${length}\r\n${EMPTY_LINE}`
}

interface StreamOptions {
  /** The announced length; undefined for chunks. */
  readonly length: number | undefined
  readonly onSent: () => void
  readonly onFailed: (error: Error) => void
}

/**
 * Writes a streamed body at the pace of the slower side. An announced length is kept exactly: further bytes would be the
 * beginning of another request.
 */
class StreamedBody {
  private readonly socket: Socket
  private readonly body: Readable
  private readonly options: StreamOptions
  /** Remaining bytes of the announced length. */
  private left: number | undefined

  constructor(socket: Socket, body: Readable, options: StreamOptions) {
    this.socket = socket
    this.body = body
    this.options = options
    this.left = options.length
    body.on('data', this.onData).on('end', this.onEnd).on('error', this.onError).on('close', this.onClose)
  }

  /** Stops writing and drops the rest of the body. */
  drop(): void {
    this.stopListening()
    this.body.destroy()
  }

  private readonly onData = (chunk: Buffer) => {
    if (this.write(chunk)) return
    this.body.pause()
    this.socket.once('drain', this.onDrain)
  }

  private readonly onDrain = () => void this.body.resume()

  private readonly onEnd = () => {
    this.stopListening()
    if (this.left === undefined) this.socket.write('0\r\n\r\n', 'latin1')
    else if (this.left > 0) return this.options.onFailed(new Error('the body is shorter than its length'))
    this.options.onSent()
  }

  private readonly onError = (error: Error) => {
    this.stopListening()
    this.options.onFailed(error)
  }

  private readonly onClose = () => this.onError(new Error('the body was cut off'))

  private write(chunk: Buffer): boolean {
    if (this.left === undefined) return writeChunk(this.socket, chunk)
    this.left -= chunk.length
    if (this.left >= 0) return this.socket.write(chunk)
    this.options.onFailed(new Error('the body is longer than its length'))
    return false
  }

  private stopListening(): void {
    const { body, socket } = this
    body.off('data', this.onData).off('end', this.onEnd).off('error', this.onError).off('close', this.onClose)
    socket.off('drain', this.onDrain)
  }
}

function writeChunk(socket: Socket, chunk: Buffer): boolean {
  if (chunk.length === 0) return true
  socket.cork()
  socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1')
  socket.write(chunk)
  const goesOn = socket.write('\r\n', 'latin1')
  socket.uncork()
  return goesOn
}
