import type { ClientSocket, ConnectionReport } from './handed-connections.ts'

/** A worker that takes connections. */
export interface Taker {
  hand(socket: ClientSocket): void
}

interface TakerState {
  open: number
  /** All connections it ever got. Between equally loaded workers, the one with fewer is next. */
  handed: number
  /** The connection on its way to the worker. */
  sent: ClientSocket | undefined
}

/**
 * Hands each connection to the worker with the fewest. A worker gets one connection at a time: Node holds back all messages
 * to a process until it has received a socket, and requests wait for those messages.
 */
export class ConnectionSpread {
  readonly #limit: () => number
  readonly #states = new Map<Taker, TakerState>()
  readonly #queue: ClientSocket[] = []
  readonly #settling: (() => void)[] = []

  constructor(limit: () => number) {
    this.#limit = limit
  }

  /** The open connections of all workers, with those that wait for a worker. */
  get open(): number {
    return [...this.#states.values()].reduce((sum, state) => sum + state.open, this.#queue.length)
  }

  /** Takes an accepted connection; closes it when all workers together are at the limit. */
  add(socket: ClientSocket): void {
    if (this.open >= this.#limit()) {
      socket.destroy()
      return
    }
    this.#queue.push(socket)
    this.#advance()
  }

  join(taker: Taker): void {
    this.#states.set(taker, { open: 0, handed: 0, sent: undefined })
    this.#advance()
  }

  /** Removes a worker that has ended. A connection on its way to that worker goes to another. */
  leave(taker: Taker): void {
    const { sent } = this.#states.get(taker) ?? {}
    this.#states.delete(taker)
    if (sent !== undefined) this.#queue.unshift(sent)
    this.#advance()
  }

  report(taker: Taker, { arrived, ended }: ConnectionReport): void {
    const state = this.#states.get(taker)
    if (state === undefined) return
    state.open -= ended
    if (arrived === 0) return
    // The worker has its own copy of the socket by now.
    state.sent?.destroy()
    state.sent = undefined
    this.#advance()
  }

  /** Resolves when every connection has arrived at a worker. */
  settled(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#settling.push(resolve)
    this.#advance()
    return promise
  }

  #advance(): void {
    for (let next = this.#freest(); next !== undefined && this.#queue.length > 0; next = this.#freest()) {
      const [taker, state] = next
      state.sent = this.#queue.shift()
      state.open += 1
      state.handed += 1
      if (state.sent !== undefined) taker.hand(state.sent)
    }
    const isSending = [...this.#states.values()].some(({ sent }) => sent !== undefined)
    if (this.#queue.length > 0 || isSending) return
    for (const settle of this.#settling.splice(0)) settle()
  }

  #freest(): [Taker, TakerState] | undefined {
    const free = [...this.#states].filter(([, { sent }]) => sent === undefined)
    return free.toSorted(
      ([, first], [, second]) => first.open - second.open || first.handed - second.handed,
    )[0]
  }
}
