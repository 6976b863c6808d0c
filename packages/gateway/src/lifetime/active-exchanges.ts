import type { Exchange } from '../exchange.ts'

/** The seat of an exchange that is over, or has not begun. */
export const NOWHERE = -1

/** Exchanges that are not over, and word of the moment when none is left. */
export interface ActiveExchanges {
  readonly active: readonly Exchange[]
  enter(exchange: Exchange): void
  leave(exchange: Exchange): void
  /** Calls back once, when nothing is active, at once where nothing is; what it returns takes the wish back. */
  whenIdle(callback: () => void): () => void
  /** Resolves when nothing is active, or after `ms`. */
  idle(ms: number): Promise<boolean>
}

/**
 * Keeps exchanges from their beginning to their end, in an array in which each knows its seat. A `Set` would do, but V8
 * ties the table that a set has outgrown to the next one, and with it keeps what was in it until a major collection:
 * nearly every request was copied to the old generation, and minor collections took 20 ms.
 */
export function createActiveExchanges(seat: 'seatInLoad' | 'seatInSnapshot'): ActiveExchanges {
  const active: Exchange[] = []
  const waiting = new Set<() => void>()
  const whenIdle = (callback: () => void) => {
    const wake = () => {
      waiting.delete(wake)
      callback()
    }
    waiting.add(wake)
    if (active.length === 0) wake()
    return () => void waiting.delete(wake)
  }
  return {
    active,
    whenIdle,
    enter(exchange) {
      exchange[seat] = active.length
      active.push(exchange)
    },
    leave(exchange) {
      if (exchange[seat] === NOWHERE) return
      const last = active.pop() as Exchange
      if (last !== exchange) active[exchange[seat]] = last
      last[seat] = exchange[seat]
      exchange[seat] = NOWHERE
      if (active.length === 0) for (const wake of waiting) wake()
    },
    idle(ms) {
      if (active.length === 0) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(() => done(false), ms)
        const forget = whenIdle(() => done(true))
        const done = (idle: boolean) => {
          clearTimeout(timer)
          forget()
          resolve(idle)
        }
      })
    },
  }
}
