import { createServer, type Socket } from 'node:net'
import { type Address, open, socketOptions } from './listener.ts'

/** Accepts connections for other processes and reads nothing of them. */
export interface FrontDoor {
  /** Resolves with the port; rejects with an `InitialisationError`. */
  open(): Promise<number>
  /** Accepts no more. */
  close(): void
}

/** Makes it; whoever comes in is passed on. */
export function createFrontDoor(address: Address, pass: (socket: Socket) => void): FrontDoor {
  const server = createServer({ ...socketOptions, allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // A client that resets before it is passed on would end the process.
    socket.on('error', () => undefined)
    pass(socket)
  })
  return { open: () => open(server, address), close: () => void server.close() }
}
