import { hash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Cancellation, Exchange } from '../exchange.ts'

/** A request whose answer may still be on its way. */
export interface OpenRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly signal: Cancellation
  /** The previous request of the connection, until this one is answered. */
  earlier: OpenRequest | undefined
}

/** The state of a client's connection between its requests. */
export interface Connection {
  readonly clientAddress: string
  readonly protocol: Exchange['protocol']
  readonly certificateDigest: string | undefined
  requestCount: number
  /** An answer will end the connection: bytes behind its request are ignored (RFC 9112, section 9.6). */
  closing: boolean
  /** That answer is sent: requests behind it are not started. */
  ended: boolean
  /** The parser gave up: nothing more can be read. */
  broken: boolean
  /** Answers keep the order of requests: while the newest is closed, none is open. */
  newest: OpenRequest | undefined
}

/** Finds the state of a socket; it is collected with the socket. */
export function createConnections(): (socket: Socket) => Connection {
  const connections = new WeakMap<Socket, Connection>()
  return (socket) => {
    const known = connections.get(socket)
    if (known !== undefined) return known
    const connection = describe(socket)
    connections.set(socket, connection)
    return connection
  }
}

function describe(socket: Socket): Connection {
  return {
    // On a listener for both families an IPv4 client shows as `::ffff:192.0.2.1`.
    clientAddress: socket.remoteAddress?.replace(/^::ffff:(?=[\d.]+$)/, '') ?? '',
    protocol: (socket as Partial<TLSSocket>).encrypted ? 'https' : 'http',
    certificateDigest: digestOfCertificate(socket as Partial<TLSSocket>),
    requestCount: 0,
    closing: false,
    ended: false,
    broken: false,
    newest: undefined,
  }
}

/**
 * The digest that a token names as `x5t#S256` (RFC 8705, section 3.1). An invalid certificate counts as none. A resumed
 * session without a certificate counts as authorized in Node: only a certificate proves anything.
 */
function digestOfCertificate(socket: Partial<TLSSocket>): string | undefined {
  if (socket.authorized !== true) return undefined
  const certificate = socket.getPeerX509Certificate?.()
  return certificate && hash('sha256', certificate.raw, 'base64url')
}

/** Whether the answer is not, or only partly, sent. */
export function isOpen({ response }: OpenRequest): boolean {
  return !response.closed
}

/**
 * Calls `next` when a request is answered, at once when none is open. Pipelined requests are handled one after another:
 * in parallel a later one could take effect before an earlier one (RFC 9112, section 9.3.2).
 */
export function whenAnswered(earlier: OpenRequest | undefined, next: () => void): void {
  if (earlier !== undefined && isOpen(earlier)) earlier.response.once('close', next)
  else next()
}

/** Cancels every open request of a connection, started or waiting: its client is gone. */
export function cancelOpen({ newest }: Connection): void {
  for (let open = newest; open !== undefined; open = open.earlier) open.signal.cancel('client_disconnect')
}

const LINGER_MS = 1000

/**
 * Sends the last bytes and ends the connection. It is not destroyed at once: unread bytes of the client would make the
 * kernel reset the connection, and the client might never see the answer (RFC 9112, section 9.6).
 */
export function endConnection(socket: Socket, text?: string): void {
  if (text === undefined) socket.end()
  else socket.end(text)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
