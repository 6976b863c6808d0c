import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Exchange } from '../exchange.ts'

/** A request whose answer may still be on its way. */
export interface OpenRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly cancel: Exchange['cancel']
  /** The one before on its connection, until this one is answered. */
  earlier: OpenRequest | undefined
}

/** What is remembered of a client's connection from one request to the next. */
export interface Connection {
  readonly clientAddress: string
  readonly protocol: Exchange['protocol']
  requestCount: number
  /** An answer ends the connection: what was sent behind its request is not looked at (RFC 9112, section 9.6). */
  closing: boolean
  /** That answer is out: what waits behind it is not begun. */
  ended: boolean
  /** The parser gave up: nothing more can be read from it. */
  broken: boolean
  /** Answers keep the order of the requests, so the newest tells whether any is open. */
  newest: OpenRequest | undefined
}

/** Finds what is remembered of a connection; it is forgotten with its socket. */
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
    requestCount: 0,
    closing: false,
    ended: false,
    broken: false,
    newest: undefined,
  }
}

/** Whether an answer is still to be sent, or only partly sent. */
export function isOpen({ response }: OpenRequest): boolean {
  return !response.closed
}

/**
 * Goes on when a request is answered, at once when none is open. Pipelined requests are worked on one after another:
 * in parallel a later one could overtake an earlier one with an effect (RFC 9112, section 9.3.2).
 */
export function whenAnswered(earlier: OpenRequest | undefined, next: () => void): void {
  if (earlier !== undefined && isOpen(earlier)) earlier.response.once('close', next)
  else next()
}

/** Nobody is left to answer: every request of the connection that is open, begun or waiting, is cancelled. */
export function cancelOpen({ newest }: Connection): void {
  for (let open = newest; open !== undefined; open = open.earlier) open.cancel('client_disconnect')
}

const LINGER_MS = 1000

/**
 * Sends the last bytes and ends the connection. It is not destroyed at once: bytes of the client that nobody has
 * read would make the kernel reset the connection, and the client might never see the answer (RFC 9112, section 9.6).
 */
export function endConnection(socket: Socket, text?: string): void {
  if (text === undefined) socket.end()
  else socket.end(text)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
