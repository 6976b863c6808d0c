import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import { loadTls } from '../load-tls.ts'
import { AnswerParser, type AnswerReceiver } from './answer-parser.ts'
import { codedError } from './coded-error.ts'
import { InvalidAnswerError } from './invalid-answer.ts'
import { RequestWriter, type WireRequest } from './request-writer.ts'

/** The server behind a route's address. */
export interface Origin {
  readonly protocol: 'http:' | 'https:'
  readonly hostname: string
  readonly port: number
  /** The value of the `Host` header. */
  readonly host: string
  /** The name that its certificate is checked against, where that is not `hostname`. */
  readonly servername?: string
  /** The authorities and the certificate that the operator named, if any. */
  readonly secureContext?: SecureContext
}

/** Files of a route for TLS, as PEM. */
export interface OriginTls {
  /** The only trusted authorities. */
  readonly ca?: readonly string[]
  /** The gateway's own certificate and key. */
  readonly cert?: string
  readonly key?: string
}

/** Reads the origin from an address. The files are parsed here, once for all its connections. */
export function originOf(target: string, tls: OriginTls = {}): Origin {
  const { protocol, hostname, port, host } = new URL(target)
  const isTls = protocol === 'https:'
  return {
    protocol: isTls ? 'https:' : 'http:',
    // A URL has an IPv6 address in brackets; sockets and certificates want it without.
    hostname: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isTls ? 443 : 80) : Number(port),
    host,
    ...(isTls && Object.keys(tls).length > 0 && { secureContext: secureContextOf(tls) }),
  }
}

function secureContextOf({ ca, ...pair }: OriginTls): SecureContext {
  return loadTls().createSecureContext({ ...pair, ...(ca && { ca: [...ca] }) })
}

/**
 * How far a failed request came. `unsent`: there was no connection. `lost`: no byte of an answer came on a reused
 * connection, which the server may have closed as idle (F8). `sent`: the server may have received it.
 */
export type RequestProgress = 'unsent' | 'lost' | 'sent'

/** Receives the answer to one request; `onComplete` or `onFailed` is called once. */
export interface AnswerHandler extends AnswerReceiver {
  onComplete(): void
  onFailed(error: Error, progress: RequestProgress): void
}

/** The owner of connections. */
export interface ConnectionOwner {
  /** The connection can carry another request. */
  onIdle(connection: Connection): void
  onClosed(connection: Connection): void
}

const CONNECT_TIMEOUT_MS = 5000
const KEEP_ALIVE_PROBE_MS = 60_000
/**
 * Shared by all connections: received bytes are copied out in the same turn. A stream with a stalled reader buffers up to
 * this size before the pause takes effect; a smaller size would cost large answers more reads.
 */
const readMemory = Buffer.allocUnsafeSlow(32_768)

/** A connection to an upstream; it carries one request at a time. */
export class Connection {
  /** The end of its idle time, by `performance.now()`. */
  idleUntil = 0
  private readonly owner: ConnectionOwner
  private readonly socket: Socket
  private readonly parser = new AnswerParser()
  private readonly writer: RequestWriter
  private readonly connectTimer: NodeJS.Timeout
  /** The handler of the current request. */
  private handler: AnswerHandler | undefined = undefined
  /** The request that is written when the connection is there. */
  private waiting: WireRequest | undefined = undefined
  /** It has carried a request before the current one. */
  private isReused = false
  private isConnected = false
  private isOpen = true
  private isPaused = false

  constructor(origin: Origin, owner: ConnectionOwner) {
    this.owner = owner
    this.socket = openSocket(origin, { buffer: readMemory, callback: (size) => this.onBytes(size) })
    this.writer = new RequestWriter(this.socket, origin.host, (error) => this.destroy(error))
    this.connectTimer = setTimeout(
      () => this.destroy(codedError('ETIMEDOUT', 'connecting took too long')),
      CONNECT_TIMEOUT_MS,
    )
    this.socket.once(origin.protocol === 'http:' ? 'connect' : 'secureConnect', () => this.onConnected())
    this.socket.on('end', () => this.onEnd())
    this.socket.on('error', (error) => this.destroy(error))
    this.socket.on('close', () => this.destroy())
  }

  /** Sends a request. Throws for one that cannot be written safely. */
  carry(request: WireRequest, handler: AnswerHandler): void {
    this.handler = handler
    this.parser.expect(request.method, handler)
    if (request.waitsForConnection === true && !this.isConnected) this.waiting = request
    else this.writer.write(request)
  }

  pause(): void {
    this.isPaused = true
    this.socket.pause()
  }

  resume(): void {
    if (this.isPaused) this.socket.resume()
    this.isPaused = false
  }

  /** Closes the connection at once; its current request fails. */
  destroy(error?: Error): void {
    if (!this.isOpen) return
    this.isOpen = false
    clearTimeout(this.connectTimer)
    this.socket.destroy()
    this.writer.stop()
    this.owner.onClosed(this)
    const { handler } = this
    this.handler = undefined
    handler?.onFailed(error ?? codedError('ECONNRESET', 'the connection was closed'), this.progressAt(error))
  }

  private progressAt(error: Error | undefined): RequestProgress {
    if (!this.isConnected) return 'unsent'
    const isLost = this.isReused && !this.parser.hasBegun && !(error instanceof InvalidAnswerError)
    return isLost ? 'lost' : 'sent'
  }

  private onConnected(): void {
    clearTimeout(this.connectTimer)
    this.isConnected = true
    const { waiting } = this
    if (waiting === undefined || !this.isOpen) return
    this.waiting = undefined
    try {
      this.writer.write(waiting)
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  private onBytes(size: number): boolean {
    // Unsolicited bytes must not become the answer to the next request (F4).
    if (this.handler === undefined) this.destroy()
    else this.receive(this.handler, readMemory.subarray(0, size))
    return true
  }

  private receive(handler: AnswerHandler, bytes: Buffer): void {
    try {
      // The handler may have ended the request while it received the answer.
      if (this.parser.read(bytes) && this.handler === handler) this.finish(handler)
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  private onEnd(): void {
    if (this.handler !== undefined && this.parser.endsHere) this.finish(this.handler)
    else this.destroy(codedError('ECONNRESET', 'the upstream closed the connection'))
  }

  private finish(handler: AnswerHandler): void {
    this.handler = undefined
    this.isReused = true
    // The whole answer is in memory: a slow reader must not delay the next one.
    this.resume()
    this.idleUntil = performance.now() + this.parser.keepAliveMs
    // An answer may come before its request is sent: the rest of that request would be read as another one.
    if (this.parser.keepAliveMs === 0 || this.writer.isWriting) this.destroy()
    else if (this.isOpen) this.owner.onIdle(this)
    handler.onComplete()
  }
}

/** Opens a socket that writes received bytes into `onread`'s memory. It may be written to at once. */
function openSocket(origin: Origin, onread: OnReadOpts): Socket {
  const { protocol, hostname, port, secureContext } = origin
  const options = {
    host: hostname,
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    onread,
  }
  if (protocol === 'http:') return connectTcp(options)
  const name = origin.servername ?? hostname
  const servername = isIP(name) === 0 ? { servername: name } : {}
  const trusted = secureContext && { secureContext }
  return loadTls().connect({ ...options, ...servername, ...trusted, ALPNProtocols: ['http/1.1'] })
}
