/** Most bodies that are discarded at a time. */
const MOST_AT_A_TIME = 8
/** A client that does not send gives its place to the next one after this time. */
const TURN_MS = 100

/** A body whose rest nobody wants. */
export interface UnwantedBody {
  /** Reads the rest and throws it away. */
  drop(): void
  /** Reads nothing until it is dropped again. */
  pause(): void
  /** Called when the body has arrived or its client has left. */
  onOver: (() => void) | undefined
}

/**
 * Discards the rest of bodies whose requests are answered, a few at a time. Node reads up to two megabytes of every
 * connection in one turn of the event loop: hundreds of refused bodies at once would hold up all other clients. The
 * others wait for their turn unread; the time for a request bounds the wait.
 */
export class DiscardedBodies {
  private readonly waiting = new Set<UnwantedBody>()
  private readonly active = new Set<UnwantedBody>()

  /** The bodies that are not discarded completely. */
  get count(): number {
    return this.waiting.size + this.active.size
  }

  /** Discards the rest of a body, now or when it is its turn. */
  add(body: UnwantedBody): void {
    body.onOver = () => {
      this.waiting.delete(body)
      this.leave(body)
    }
    if (this.active.size < MOST_AT_A_TIME) {
      this.discard(body)
      return
    }
    body.pause()
    this.waiting.add(body)
  }

  private discard(body: UnwantedBody): void {
    this.active.add(body)
    body.drop()
    setTimeout(() => this.takeTurns(body), TURN_MS).unref()
  }

  private takeTurns(body: UnwantedBody): void {
    if (!this.active.has(body)) return
    if (this.waiting.size === 0) {
      setTimeout(() => this.takeTurns(body), TURN_MS).unref()
      return
    }
    body.pause()
    this.waiting.add(body)
    this.leave(body)
  }

  private leave(body: UnwantedBody): void {
    if (!this.active.delete(body)) return
    const [next] = this.waiting
    if (next === undefined) return
    this.waiting.delete(next)
    this.discard(next)
  }
}
