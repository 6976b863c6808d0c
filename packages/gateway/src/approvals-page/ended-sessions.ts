/** A session of the approval page that its person has ended. */
export interface EndedSession {
  readonly id: string
  /** The time, in milliseconds, at which its cookie would stop to open by itself. */
  readonly endsAt: number
}

/** A session takes about 100 bytes. */
const MOST_ENDED = 100_000

/**
 * The sessions that were ended before their time. Anybody can make sessions, so the number is bounded: above it the
 * oldest is forgotten, and every session that is as old or older is over too. Whoever is signed out by that signs in again.
 */
export class EndedSessions {
  readonly #most: number
  readonly #endsAtById = new Map<string, number>()
  #allEndedUpTo = 0

  constructor(most: number = MOST_ENDED) {
    this.#most = most
  }

  add({ id, endsAt }: EndedSession): void {
    this.#endsAtById.set(id, endsAt)
    for (const [oldest, endOfOldest] of this.#endsAtById) {
      const isOver = endOfOldest <= Date.now()
      if (!isOver && this.#endsAtById.size <= this.#most) return
      this.#endsAtById.delete(oldest)
      if (!isOver) this.#allEndedUpTo = Math.max(this.#allEndedUpTo, endOfOldest)
    }
  }

  has({ id, endsAt }: EndedSession): boolean {
    return endsAt <= this.#allEndedUpTo || this.#endsAtById.has(id)
  }

  /** All of them, for a process that starts. */
  list(): readonly EndedSession[] {
    return [...this.#endsAtById].map(([id, endsAt]) => ({ id, endsAt }))
  }
}
