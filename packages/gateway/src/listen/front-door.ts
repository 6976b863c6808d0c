import { createServer, type Socket } from 'node:net'
import { type Address, open, socketOptions } from './listener.ts'

/** Accepts connections for other processes and reads nothing of them. */
export interface FrontDoor {
  /** Resolves with the port; rejects with an `InitialisationError`. */
  open(): Promise<number>
  /** How many connections were ever taken up. */
  readonly accepted: number
  /** Accepts no more. */
  close(): void
}

/** Makes it; whoever comes in is passed on. */
export function createFrontDoor(address: Address, pass: (socket: Socket) => void): FrontDoor {
  let accepted = 0
  const server = createServer({ ...socketOptions, allowHalfOpen: true, pauseOnConnect: true }, (socket) => {
    // A client that resets before it is passed on would end the process.
    socket.on('error', () => undefined)
    accepted += 1
    pass(socket)
  })
  return {
    open: () => open(server, address),
    get accepted() {
      return accepted
    },
    close: () => void server.close(),
  }
}
