import type { Server, Socket } from 'node:net'
import { takeUpWaiting } from '../lifetime/drain.ts'

/** The socket of a client. */
export type ClientSocket = Socket

/** Connections that another process accepted, for a server that does not listen itself. */
export interface HandedConnections {
  /** Lets them come; resolves with the port that they come to. */
  open(server: Server): Promise<number>
  /** Resolves when the other process lets nobody in any more and has handed over whoever it had. */
  close(): Promise<void>
}

/** What hands connections over. */
export interface Hander {
  /** Says that they may come; resolves with the port once they do. */
  open(): Promise<number>
  /** Calls back with each connection; what that returns is told when the connection is gone. */
  onConnection(take: (socket: Socket) => void): void
  /** So many connections that were handed over are gone. */
  closed(count: number): void
  /** Asks for no more. */
  stop(): Promise<void>
}

/** Puts the connections of a hander into a server. */
export function createHandedConnections(hander: Hander): HandedConnections {
  let gone = 0
  const tell = () => {
    hander.closed(gone)
    gone = 0
  }
  const lose = () => {
    gone += 1
    // Many connections that end together are one message.
    if (gone === 1) setImmediate(tell)
  }
  return {
    async open(server) {
      hander.onConnection((socket) => {
        // As Node sets it for sockets of its HTTP server, which sees to half a close itself.
        socket.allowHalfOpen = true
        socket.once('close', lose)
        server.emit('connection', socket)
      })
      // Without this event Node does not look for slow clients (F6).
      server.emit('listening')
      return await hander.open()
    },
    async close() {
      await hander.stop()
      await takeUpWaiting()
    },
  }
}
