import { createServer, type Server, type Socket } from 'node:net'
import { quietTurns } from './accept-queue.ts'
import { type Address, type ConnectionSource, openServer, socketOptions } from './listener.ts'

/** The socket of a client. */
export type ClientSocket = Socket

/** Accepts connections for other processes and reads nothing from them. */
export interface Acceptor {
  /** Resolves with the port; rejects with an `InitialisationError`. */
  open(): Promise<number>
  /** The number of connections accepted so far. */
  readonly accepted: number
  /** Accepts no more. */
  close(): void
}

/** Makes an acceptor that passes each connection on. */
export function createAcceptor(address: Address, pass: (socket: Socket) => void): Acceptor {
  let accepted = 0
  const server = createServer({ ...socketOptions, allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // Without a listener, a client that resets now would end the process.
    socket.on('error', () => undefined)
    accepted += 1
    pass(socket)
  })
  return {
    open: () => openServer(server, address),
    get accepted() {
      return accepted
    },
    close: () => void server.close(),
  }
}

/** Connections that reached this process or ended in it since the last report. */
export interface ConnectionReport {
  readonly arrived: number
  readonly ended: number
}

/** The process that accepts for this one. */
export interface RemoteAcceptor {
  /** Says that this process takes connections; resolves with the port when clients can connect. */
  open(): Promise<number>
  report(report: ConnectionReport): void
  /** Resolves when no connection is accepted any more and all accepted ones are handed over. */
  stop(): Promise<void>
}

/** Connections that another process accepts, for a server that does not listen itself. */
export interface HandedConnections extends ConnectionSource {
  /** Takes a connection that was handed over. */
  take(socket: Socket): void
}

/** Makes the source of connections for one server. */
export function createHandedConnections(acceptor: RemoteAcceptor): HandedConnections {
  let server: Server | undefined
  let report = { arrived: 0, ended: 0 }
  const count = (change: keyof ConnectionReport) => {
    // One message for all connections that arrive or end in one turn.
    if (report.arrived + report.ended === 0)
      setImmediate(() => {
        acceptor.report(report)
        report = { arrived: 0, ended: 0 }
      })
    report[change] += 1
  }
  return {
    take(socket) {
      // The listener sets this on the sockets that it accepts itself, and handles half-closed ones.
      socket.allowHalfOpen = true
      socket.once('close', () => count('ended'))
      count('arrived')
      server?.emit('connection', socket)
    },
    async open(opened) {
      server = opened
      return await acceptor.open()
    },
    async close() {
      await acceptor.stop()
      await quietTurns()
    },
  }
}
