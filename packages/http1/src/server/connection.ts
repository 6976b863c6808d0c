import type { Socket } from 'node:net'
import type { HeadLimits } from '../message-faults.ts'
import type { DiscardedBodies } from './discarded-bodies.ts'
import { IncomingBody } from './incoming-body.ts'
import { MalformedRequestError, requestTimeout } from './malformed.ts'
import { type Peer, peerOf } from './peer.ts'
import type { AnsweredConnection, ClientReply } from './reply.ts'
import type { WireHead } from './request-lines.ts'
import { RequestReader, type RequestReceiver } from './request-reader.ts'
import { bareAnswer, KEEP_ALIVE_SECONDS } from './write-head.ts'

/** A request as its connection read it. */
export interface ArrivedRequest {
  readonly connection: Http1Connection<unknown>
  readonly head: WireHead
  /** Absent without one. */
  readonly body: IncomingBody | undefined
}

/** Ends the work for a request early. */
export interface RequestSignal {
  /** `shutdown` where the host has cut the answer because it ends: the connection ends with it. */
  readonly reason: unknown
  cancel(reason: 'client_disconnect'): void
}

/** A request that its connection has accepted; `Exchange` is what the host makes of one. */
export interface AcceptedRequest<Exchange> {
  readonly exchange: Exchange
  readonly signal: RequestSignal
  readonly reply: ClientReply
  /** Nothing behind it on the connection is read. */
  readonly isLast: boolean
}

/** The listener, as its connections see it. */
export interface ConnectionHost<Exchange> {
  readonly limits: HeadLimits
  readonly timeouts: { readonly headersMs: number; readonly requestMs: number }
  readonly discarded: DiscardedBodies
  date(): string
  /** Makes the exchange of a request. Throws a `MalformedRequestError`. */
  accept(arrived: ArrivedRequest): AcceptedRequest<Exchange>
  handle(exchange: Exchange): void
  refused(connection: Http1Connection<Exchange>, fault: MalformedRequestError): void
  /** The connection ends with its next answer. */
  isDraining(connection: Http1Connection<Exchange>): boolean
  /** Requests on connections that were promised to stay open are served, though the listener drains. */
  keepsPromises(): boolean
  /** The client was admitted by settings that no longer hold. */
  isOutdated(connection: Http1Connection<Exchange>): boolean
}

/** Bytes of later requests that are kept while one is open; above it the connection is not read. */
const MAX_BACKLOG_BYTES = 65_536
/** The memory of a kept piece beside its bytes: a client could send them one by one. */
const KEPT_OVERHEAD_BYTES = 256
const KEEP_ALIVE_MS = KEEP_ALIVE_SECONDS * 1000
const LINGER_MS = 1000

interface Arrived {
  readonly bytes: Buffer
  /** By `performance.now()`. */
  readonly at: number
}

/** A client's connection: reads requests and answers them one after another, in their order (RFC 9112, section 9.3.2). */
export class Http1Connection<Exchange> implements RequestReceiver, AnsweredConnection {
  readonly peer: Peer
  readonly socket: Socket
  requestCount = 0
  /** The arrival of the bytes that are read now, by `performance.now()`. */
  now: number
  private readonly host: ConnectionHost<Exchange>
  private readonly reader: RequestReader
  /** The request that is read or answered. */
  private open: AcceptedRequest<Exchange> | undefined = undefined
  /** The exchange that is handled as soon as the bytes at hand are read. */
  private begun: Exchange | undefined = undefined
  /** The body of the open request, until it has arrived. */
  private body: IncomingBody | undefined = undefined
  private isAnswered = false
  /** The head of the last answer promised to keep the connection, and the listener began to drain before its last byte. */
  private wasPromised = false
  private backlog: Arrived[] = []
  private backlogBytes = 0
  /** The last answer was sent: further bytes are dropped (RFC 9112, section 9.6). */
  private isEnding = false
  private isGone = false
  private isPaused = false
  /** Bytes at hand were only lent. */
  private isLent = false
  private requestStartedAt = 0
  private deadline: number
  private deadlineKind: 'request' | 'idle' | 'linger' = 'request'

  constructor(socket: Socket, host: ConnectionHost<Exchange>) {
    this.socket = socket
    this.host = host
    this.reader = new RequestReader(host.limits, this)
    this.peer = peerOf(socket)
    this.now = performance.now()
    this.deadline = this.now + host.timeouts.headersMs
    socket.on('end', () => this.onEnd())
    // A reset between two requests has no other listener: it would end the process.
    socket.on('error', () => undefined)
    socket.on('close', () => this.onClose())
    socket.on('drain', () => this.open?.reply.drained())
  }

  /** Takes bytes of the client; their memory is used again by others when they are `lent`. */
  receive(bytes: Buffer, lent: boolean): void {
    if (this.isEnding) return
    this.now = performance.now()
    if (this.backlog.length > 0) this.backlog.push(this.kept(bytes, lent))
    else this.readOn(bytes, lent)
  }

  /** Whether its first request has not come yet. */
  get isSilent(): boolean {
    return this.requestCount === 0 && !this.isEnding
  }

  /** Whether the next request is served though the listener drains. */
  get isPromised(): boolean {
    return this.wasPromised && this.host.keepsPromises()
  }

  /** Whether it is idle, and its client may send the request that it was promised. */
  get isAwaited(): boolean {
    return this.isPromised && this.open === undefined && !this.isEnding
  }

  get isDraining(): boolean {
    return this.host.isDraining(this)
  }

  date(): string {
    return this.host.date()
  }

  /** Whether the connection ends with the answer that is about to be sent. */
  endsWithAnswer(): boolean {
    // While draining, requests behind this one on the connection are still answered.
    return this.backlog.length === 0 && this.isDraining
  }

  /** The last byte of an answer was given to the socket. */
  answered(reply: ClientReply): void {
    if (this.open?.reply !== reply) return
    if (this.socket.writableLength === 0) this.onFlushed(reply)
    // Called when everything before it has left.
    else this.socket.write('', (error) => error ?? this.onFlushed(reply))
  }

  /** Cuts the connection. */
  destroy(): void {
    this.socket.destroy()
  }

  /** Ends the connection when its time is over. */
  check(now: number): void {
    if (now < this.deadline) return
    this.deadline = Number.POSITIVE_INFINITY
    if (this.deadlineKind === 'request') this.refuse(requestTimeout())
    else this.socket.destroy()
  }

  onHead(head: WireHead): void {
    this.requestCount += 1
    const body = head.framing === 0 ? undefined : new IncomingBody(this.flow)
    this.body = body
    this.isAnswered = false
    this.open = this.host.accept({ connection: this, head, body })
    this.begun = this.open.exchange
  }

  onBody(bytes: Buffer): void {
    const { body } = this
    if (body === undefined || body.isDropping) return
    body.push(this.isLent ? Buffer.from(bytes) : bytes)
  }

  onComplete(): void {
    const { body } = this
    this.requestStartedAt = 0
    this.deadline = Number.POSITIVE_INFINITY
    this.body = undefined
    body?.finish()
    if (this.isAnswered) this.next()
  }

  private readonly flow = {
    pause: () => this.pause(),
    resume: () => this.resume(),
  }

  private pause(): void {
    if (this.isPaused) return
    this.isPaused = true
    this.socket.pause()
  }

  private resume(): void {
    if (!this.isPaused || this.backlogBytes > MAX_BACKLOG_BYTES || this.body?.isHeld === true) return
    this.isPaused = false
    this.socket.resume()
  }

  /** Reads a request, and keeps the bytes behind it until it is answered. */
  private readOn(bytes: Buffer, lent: boolean): void {
    this.isLent = lent
    let at = 0
    try {
      while (at < bytes.length && this.wantsBytes()) at = this.reader.read(bytes, at)
    } catch (error) {
      if (!(error instanceof MalformedRequestError)) throw error
      this.refuse(error)
      return
    }
    this.setDeadline()
    // In front of the bytes that arrived later.
    if (at < bytes.length && this.open?.isLast !== true)
      this.backlog.unshift(this.kept(at === 0 ? bytes : bytes.subarray(at), lent))
    const { begun } = this
    if (begun === undefined) return
    this.begun = undefined
    this.host.handle(begun)
  }

  private wantsBytes(): boolean {
    return !this.isEnding && (this.open === undefined || this.body !== undefined)
  }

  /** The time for a head counts from the read of its first byte, and so does the time for the whole request. */
  private setDeadline(): void {
    if (!this.reader.isWithinRequest || this.isEnding) return
    // Not the arrival of its first bytes: the answer before it may have held the client back longer than its time.
    if (this.requestStartedAt === 0) this.requestStartedAt = performance.now()
    const { headersMs, requestMs } = this.host.timeouts
    this.deadline = this.requestStartedAt + (this.open === undefined ? headersMs : requestMs)
    this.deadlineKind = 'request'
  }

  /** Counts bytes for the backlog, and holds the client back when there are too many. */
  private kept(bytes: Buffer, lent: boolean): Arrived {
    this.backlogBytes += bytes.length + KEPT_OVERHEAD_BYTES
    if (this.backlogBytes > MAX_BACKLOG_BYTES) this.pause()
    return { bytes: lent ? Buffer.from(bytes) : bytes, at: this.now }
  }

  private onFlushed(reply: ClientReply): void {
    if (this.open?.reply !== reply || this.isGone) return
    reply.over()
    this.isAnswered = true
    // Not because the listener drains: the head promised to keep the connection, and a proxy may have given it to its
    // next request already. A stream that was cut for the end of the drain has told its client.
    if (reply.closes || this.open.signal.reason === 'shutdown' || this.host.isOutdated(this)) this.end()
    else if (this.body === undefined) this.next()
    // Answered before its body was read: the rest is discarded, so that a client that writes before it reads gets its
    // answer, and the next request can come. The time for the request bounds it.
    else this.host.discarded.add(this.body)
  }

  /** Waits for the next request, or reads on where it has arrived. */
  private next(): void {
    this.wasPromised = this.open?.reply.promisesConnection === true && this.isDraining
    this.open = undefined
    this.isAnswered = false
    this.deadlineKind = 'idle'
    this.deadline = performance.now() + KEEP_ALIVE_MS
    // In a later turn: the exchange before it must be counted out first.
    if (this.backlog.length > 0) setImmediate(this.readBacklog)
    else this.resume()
  }

  private readonly readBacklog = () => {
    while (this.wantsBytes() && !this.isGone) {
      const [first, ...others] = this.backlog
      if (first === undefined) break
      this.backlog = others
      this.backlogBytes -= first.bytes.length + KEPT_OVERHEAD_BYTES
      this.now = first.at
      this.readOn(first.bytes, false)
    }
    this.resume()
  }

  /** Answers bytes that are no request with a bare status, and ends the connection: the next bytes cannot be framed. */
  private refuse(fault: MalformedRequestError): void {
    if (this.isEnding || this.isGone) return
    this.host.refused(this, fault)
    const { open, begun } = this
    if (open === undefined) {
      this.end(bareAnswer(fault.status))
      return
    }
    const { reply, signal } = open
    if (!reply.isHeadSent) {
      reply.over()
      signal.cancel('client_disconnect')
      this.body?.cut()
      this.end(bareAnswer(fault.status))
      // It is counted like one whose body broke off later.
      if (begun !== undefined) this.host.handle(begun)
      return
    }
    // A second status line would become part of the answer that is already on its way.
    if (!reply.isEnded || this.isAnswered) {
      this.socket.destroy()
      return
    }
    reply.closes = true
    // Bytes behind the fault are no part of the body.
    this.body?.cut()
    this.body = undefined
  }

  /**
   * Sends the last bytes and ends the connection. It is not destroyed at once: unread bytes of the client would make the
   * kernel reset the connection, and the client might never see the answer (RFC 9112, section 9.6).
   */
  private end(text?: string): void {
    this.isEnding = true
    this.begun = undefined
    this.backlog = []
    this.backlogBytes = 0
    this.deadline = performance.now() + LINGER_MS
    this.deadlineKind = 'linger'
    this.body?.drop()
    this.body = undefined
    if (text === undefined) this.socket.end()
    else this.socket.end(text, 'latin1')
    this.resume()
  }

  /** The client has closed its side. */
  private onEnd(): void {
    // Node closes a socket whose two sides have ended.
    if (this.isEnding) return
    if (this.open !== undefined && this.body === undefined) {
      this.leave()
      this.end()
      return
    }
    try {
      this.reader.end()
    } catch (error) {
      this.refuse(error as MalformedRequestError)
      return
    }
    this.end()
  }

  private onClose(): void {
    this.isGone = true
    this.isEnding = true
    this.backlog = []
    this.leave()
  }

  /** Cancels the open request: its client is gone. */
  private leave(): void {
    const { open, body } = this
    this.body = undefined
    if (open !== undefined && !this.isAnswered) {
      if (!open.reply.isFlushed) open.signal.cancel('client_disconnect')
      open.reply.over()
    }
    body?.cut()
  }
}
