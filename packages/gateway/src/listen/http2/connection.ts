import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import {
  badRequest,
  type HeadLimits,
  IncomingBody,
  KEEP_ALIVE_SECONDS,
  MalformedRequestError,
  type Peer,
  peerOf,
  requestTimeout,
  type WireHead,
} from '@agentic-rest/http1'
import type { Cancellation, Exchange } from '../../exchange.ts'
import { loadHttp2 } from '../../node-on-demand.ts'
import { wireHeadOf } from './stream-head.ts'
import { ErrorCode, type StreamReply } from './stream-reply.ts'

/** A request as its stream brought it. */
export interface ArrivedStream {
  readonly peer: Peer
  readonly stream: ServerHttp2Stream
  readonly head: WireHead
  /** Absent without one. */
  readonly body: IncomingBody | undefined
  /** The arrival of its head, by `performance.now()`. */
  readonly at: number
}

/** A request that its connection has accepted. */
export interface AcceptedStream {
  readonly exchange: Exchange
  readonly signal: Cancellation
  readonly reply: StreamReply
}

/** The listener, as its connections with HTTP/2 see it. */
export interface Http2Host {
  readonly limits: HeadLimits & { readonly maxStreams: number }
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number }
  acceptStream(arrived: ArrivedStream): AcceptedStream
  handle(exchange: Exchange): void
  refused(connection: { readonly peer: Peer }, fault: MalformedRequestError): void
  /** The listener takes no more work from this connection. */
  isDraining(connection: object): boolean
}

const KEEP_ALIVE_MS = KEEP_ALIVE_SECONDS * 1000
/** The time of a client to read the last frames and to close its side. */
const LINGER_MS = 1000
/** Streams in all before the client is asked to connect anew, so that its load can go to another gateway. */
const MAX_STREAMS_IN_ALL = 10_000
/** The time in which broken-off streams are counted together. */
const RESET_INTERVAL_MS = 10_000
/** Pseudo headers of a request. */
const PSEUDO_HEADERS = 4
/** The bytes beside name and value that a field counts with (RFC 9113, section 6.5.2). */
const FIELD_BYTES = 32
/** The bytes of one body that a client may send unread: as many as a connection with HTTP/1.1 keeps. */
const WINDOW_BYTES = 65_535
const MAX_INVALID_FRAMES = 100
const MAX_REJECTED_STREAMS = 100
const MAX_SETTINGS = 32
const MAX_PINGS = 10
/** Megabytes of one connection: queued answers, tables and streams. Above it new streams are refused. */
const MAX_MEGABYTES = 10

/** The flag of a head without a body (RFC 9113, section 6.2). */
const END_STREAM = 1

/** A request until its stream is closed. */
interface OpenStream extends AcceptedStream {
  readonly stream: ServerHttp2Stream
  readonly body: IncomingBody | undefined
  /** The time for its body is over then. */
  readonly deadline: number
  /** Its answer was broken off, and the client gets this long to read so. */
  cutAt?: number
}

/** A client's connection with HTTP/2: each stream is a request. */
export class Http2Connection {
  readonly peer: Peer
  private readonly host: Http2Host
  private readonly socket: Socket
  private readonly session: ServerHttp2Session
  private readonly open = new Set<OpenStream>()
  private streamCount = 0
  private resetCount = 0
  private resetsSince: number
  private deadline: number
  /** The client did too much: its connection takes no more requests. */
  private isEnding = false
  /** It was idle for too long. */
  private isIdleOver = false
  /** The connection is cut then; 0 before its last frame is sent. */
  private cutAt = 0

  constructor(socket: Socket, host: Http2Host) {
    const now = performance.now()
    this.host = host
    this.socket = socket
    this.peer = peerOf(socket)
    this.resetsSince = now
    this.deadline = now + host.timeouts.headersMs
    // A client that has closed its side sends no window updates: no answer could be finished.
    socket.allowHalfOpen = false
    this.session = loadHttp2().performServerHandshake(socket, sessionOptions(host.limits))
    this.session.on('stream', (stream, _headers, flags, fields) =>
      this.onStream(stream as ServerHttp2Stream, flags, fields),
    )
    this.session.once('remoteSettings', () => this.waitIdle())
    this.session.on('error', (error: NodeJS.ErrnoException) => this.onError(error))
  }

  /** Ends the connection, or a request, when its time is over. */
  check(now: number): void {
    for (const open of this.open) {
      if (now >= open.deadline && open.body?.isComplete === false) this.timeOut(open)
      if (open.reply.isCut) open.cutAt ??= now + LINGER_MS
      // The frame that resets a stream waits behind bytes that the client does not read.
      if (now >= (open.cutAt ?? Number.POSITIVE_INFINITY)) this.socket.destroy()
    }
    if (this.open.size === 0 && now >= this.deadline) {
      this.isIdleOver = true
      this.drain()
    }
    // Node waits for ever for a client that does not read the last frame, does not close its side or began another head.
    const isOver = this.isEnding || this.session.destroyed || (this.isIdleOver && this.open.size === 0)
    if (isOver) this.cutLater(now)
  }

  private cutLater(now: number): void {
    if (this.cutAt === 0) this.cutAt = now + LINGER_MS
    if (now >= this.cutAt) this.socket.destroy()
  }

  /** Whether its first request has not come yet. */
  get isSilent(): boolean {
    return this.streamCount === 0
  }

  /** Takes no more requests; those that are open are answered. The client learns which ones were taken (RFC 9113, section 6.8). */
  drain(): void {
    this.session.close()
  }

  private onStream(stream: ServerHttp2Stream, flags: number, fields: readonly string[]): void {
    stream.on('error', () => undefined)
    this.streamCount += 1
    // Reset in the packet of its head (CVE-2023-44487): it becomes no request.
    if (stream.destroyed || stream.closed) {
      this.countReset()
      return
    }
    if (this.isEnding) {
      stream.close(ErrorCode.refusedStream)
      return
    }
    const isEnd = (flags & END_STREAM) !== 0
    try {
      this.accept(stream, wireHeadOf({ fields, isEnd }, this.host.limits))
    } catch (error) {
      if (!(error instanceof MalformedRequestError)) throw error
      this.refuse(stream, error)
    }
    if (this.streamCount >= MAX_STREAMS_IN_ALL || this.host.isDraining(this)) this.drain()
  }

  private accept(stream: ServerHttp2Stream, head: WireHead): void {
    const at = performance.now()
    const body = head.framing === 0 ? undefined : bodyOf(stream)
    const accepted = this.host.acceptStream({ peer: this.peer, stream, head, body, at })
    const open: OpenStream = { ...accepted, stream, body, deadline: at + this.host.timeouts.requestMs }
    this.open.add(open)
    stream.once('finish', () => this.onFinish(open))
    stream.once('aborted', () => leave(open))
    stream.once('close', () => this.onClose(open))
    this.host.handle(accepted.exchange)
  }

  private onFinish({ stream, body, reply }: OpenStream): void {
    if (!reply.isEnded) return
    reply.over()
    // Answered before its body was read: the client is told to stop (RFC 9113, section 8.1).
    if (body?.isComplete !== false) return
    // Node keeps a stream until its last byte is read.
    body.drop()
    stream.close(ErrorCode.noError)
  }

  private onClose(open: OpenStream): void {
    this.open.delete(open)
    const { isEnded, isCut } = open.reply
    leave(open)
    if (this.open.size === 0) this.waitIdle()
    if (!isEnded && !isCut) this.countReset()
  }

  private waitIdle(): void {
    this.deadline = performance.now() + KEEP_ALIVE_MS
  }

  /** Answers a head that is no request with a bare status. The other streams of its connection go on. */
  private refuse(stream: ServerHttp2Stream, fault: MalformedRequestError): void {
    this.host.refused(this, fault)
    stream.respond([':status', String(fault.status), 'content-length', '0'], { endStream: true })
    stream.close(ErrorCode.noError)
  }

  private timeOut({ stream, reply, signal, body }: OpenStream): void {
    if (stream.closed) return
    if (reply.isHeadSent) {
      reply.destroy()
      return
    }
    reply.isCut = true
    reply.over()
    signal.cancel('client_disconnect')
    body?.cut()
    body?.drop()
    this.refuse(stream, requestTimeout())
  }

  /**
   * Ends the connection of a client that breaks off more streams than a browser does when its page is left. Each stream
   * costs a call to a service, and one that is reset does not count against the streams of its connection.
   */
  private countReset(): void {
    const now = performance.now()
    if (now - this.resetsSince > RESET_INTERVAL_MS) {
      this.resetsSince = now
      this.resetCount = 0
    }
    this.resetCount += 1
    // The streams of a client that left are closed with its session.
    if (this.isEnding || this.session.destroyed) return
    if (this.resetCount <= 2 * this.host.limits.maxStreams) return
    this.isEnding = true
    this.host.refused(this, badRequest('HTTP2_TOO_MANY_RESETS'))
    // The session is not destroyed at once: unread bytes of the client would make the kernel drop the frame.
    this.session.goaway(ErrorCode.enhanceYourCalm)
    for (const { reply } of this.open) reply.destroy()
    this.cutLater(now)
  }

  /** Bytes that are not HTTP/2; Node has ended the connection. A client that is gone is no fault. */
  private onError({ code = '' }: NodeJS.ErrnoException): void {
    if (code.startsWith('ERR_HTTP2_')) this.host.refused(this, badRequest(code))
  }
}

/** Cancels a request whose client is gone. */
function leave({ reply, signal, body }: OpenStream): void {
  if (!reply.isFlushed) signal.cancel('client_disconnect')
  reply.over()
  body?.cut()
  body?.drop()
}

function bodyOf(stream: ServerHttp2Stream): IncomingBody {
  const body = new IncomingBody({ pause: () => stream.pause(), resume: () => stream.resume() })
  stream.on('data', (bytes: Buffer) => body.push(bytes))
  // A stream that was reset ends too.
  stream.on('end', () => (stream.aborted || stream.rstCode !== 0 ? body.cut() : body.finish()))
  return body
}

/**
 * Node's own limits are twice those of a head, so that a head that is a little too large gets its answer. nghttp2 bounds
 * the rest: continuations of a head, frames that need an acknowledgement, and bursts of resets in one packet.
 */
function sessionOptions({ maxHeadBytes, maxHeaders, maxStreams }: Http2Host['limits']) {
  const maxFields = 2 * maxHeaders + PSEUDO_HEADERS
  return {
    maxHeaderListPairs: maxFields,
    maxSettings: MAX_SETTINGS,
    maxOutstandingPings: MAX_PINGS,
    maxSessionMemory: MAX_MEGABYTES,
    maxSessionInvalidFrames: MAX_INVALID_FRAMES,
    maxSessionRejectedStreams: MAX_REJECTED_STREAMS,
    // Upstreams may repeat a header that Node takes for a single one.
    strictSingleValueFields: false,
    settings: {
      maxConcurrentStreams: maxStreams,
      maxHeaderListSize: 2 * maxHeadBytes + FIELD_BYTES * maxFields,
      initialWindowSize: WINDOW_BYTES,
      enablePush: false,
    },
  }
}
