import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { type ConnectionHost, Http1Connection, pooledSocket } from '@agentic-rest/http1'
import type { Exchange } from '../exchange.ts'
import { Http2Connection, type Http2Host } from './http2/connection.ts'

/** How often slow clients and idle connections are looked for (F6). */
const CHECK_INTERVAL_MS = 1000
/** The size of the memory that all connections without TLS share: bytes are read or copied in the turn in which they arrive. */
const READ_BYTES = 65_536

/** The connections of one server. */
export class OpenConnections {
  /** Number of connections accepted so far. */
  accepted = 0
  /** The sockets of all connections, also in a handshake. */
  readonly sockets = new Set<Socket>()
  readonly connections = new Set<Http1Connection<Exchange> | Http2Connection>()
  private readonly host: ConnectionHost<Exchange> & Http2Host
  private readonly memory = Buffer.allocUnsafeSlow(READ_BYTES)
  private readonly timer: NodeJS.Timeout

  constructor(host: ConnectionHost<Exchange> & Http2Host) {
    this.host = host
    this.timer = setInterval(() => this.check(), CHECK_INTERVAL_MS).unref()
  }

  /** Serves the connections of a server with or without TLS. */
  serve(server: Server, isSecure: boolean): void {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1
      if (isSecure) this.track(socket)
      else this.addPlain(socket)
    })
    server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') this.add(socket, Http2Connection)
      else this.addStream(socket)
    })
    // The handshake failed: there is nobody to answer.
    server.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy())
  }

  /** Number of connections whose first request has not come yet, handshakes included. */
  get silent(): number {
    const handshakes = this.sockets.size - this.connections.size
    return handshakes + [...this.connections].filter(({ isSilent }) => isSilent).length
  }

  /** Number of idle connections whose next request is served though the listener drains. */
  get promised(): number {
    return [...this.connections].filter((each) => each instanceof Http1Connection && each.isAwaited).length
  }

  /** Asks the clients with HTTP/2 for no more requests on their connections; an answer of HTTP/1.1 says so itself. */
  drain(): void {
    for (const connection of this.connections) if (connection instanceof Http2Connection) connection.drain()
  }

  /** Ends every connection, whatever it does. */
  close(): void {
    clearInterval(this.timer)
    for (const socket of this.sockets) socket.destroy()
  }

  private addPlain(accepted: Socket): void {
    const { memory } = this
    const socket = pooledSocket(accepted, {
      buffer: memory,
      callback(size) {
        connection?.receive(memory.subarray(0, size), true)
        return true
      },
    })
    this.track(socket ?? accepted)
    if (socket === undefined) {
      this.addStream(accepted)
      // The server has paused it.
      accepted.resume()
      return
    }
    const connection = this.add(socket, Http1Connection)
    socket.resume()
  }

  private addStream(socket: Socket): void {
    const connection = this.add(socket, Http1Connection)
    socket.on('data', (bytes: Buffer) => connection?.receive(bytes, false))
  }

  private add<Connection extends Http1Connection<Exchange> | Http2Connection>(
    socket: Socket,
    Protocol: new (socket: Socket, host: ConnectionHost<Exchange> & Http2Host) => Connection,
  ): Connection | undefined {
    // The address is read now, so that Node keeps it: a client that resets the connection behind its request would have
    // it forwarded without an address.
    if (socket.remoteAddress === undefined) {
      socket.destroy()
      return undefined
    }
    const connection = new Protocol(socket, this.host)
    this.connections.add(connection)
    socket.once('close', () => this.connections.delete(connection))
    return connection
  }

  private track(socket: Socket): void {
    this.sockets.add(socket)
    socket.once('close', () => this.sockets.delete(socket))
    // A reset in a handshake or between two requests has no other listener: it would end the process.
    socket.on('error', () => undefined)
  }

  private check(): void {
    const now = performance.now()
    for (const connection of this.connections) connection.check(now)
  }
}
