import type { IncomingMessage } from 'node:http'

/** Most bodies that are discarded at a time. */
const MOST_AT_A_TIME = 8
/** A client that does not send gives its place to the next one after this time. */
const TURN_MS = 100

/**
 * Discards the rest of bodies whose requests are answered, a few at a time. Node reads up to two megabytes of every
 * connection in one turn of the event loop: hundreds of refused bodies at once would hold up all other clients. The
 * others wait for their turn unread; `requestTimeout` bounds the wait.
 */
export class DiscardedBodies {
  private readonly waiting = new Set<IncomingMessage>()
  private readonly active = new Set<IncomingMessage>()

  /** The bodies that are not discarded completely. */
  get count(): number {
    return this.waiting.size + this.active.size
  }

  /** Discards the rest of a body, now or when it is its turn. */
  add(request: IncomingMessage): void {
    const { socket } = request
    const forget = () => {
      socket.off('close', forget)
      this.waiting.delete(request)
      this.leave(request)
    }
    // The socket, because Node tells an answered request nothing of a client that left.
    socket.once('close', forget)
    request.once('end', forget)
    if (this.active.size < MOST_AT_A_TIME) {
      this.discard(request)
      return
    }
    this.waiting.add(request)
    // Node itself resumes an answered request within this turn; afterwards the pause lasts.
    setImmediate(() => this.waiting.has(request) && request.socket.pause())
  }

  private discard(request: IncomingMessage): void {
    this.active.add(request)
    request.resume()
    request.socket.resume()
    setTimeout(() => this.takeTurns(request), TURN_MS).unref()
  }

  private takeTurns(request: IncomingMessage): void {
    if (!this.active.has(request)) return
    if (this.waiting.size === 0) {
      setTimeout(() => this.takeTurns(request), TURN_MS).unref()
      return
    }
    request.socket.pause()
    this.waiting.add(request)
    this.leave(request)
  }

  private leave(request: IncomingMessage): void {
    if (!this.active.delete(request)) return
    const [next] = this.waiting
    if (next === undefined) return
    this.waiting.delete(next)
    this.discard(next)
  }
}
