import { type Exchange, NOT_ACTIVE } from '../../exchange.ts'

/** Unfinished exchanges, and a callback when none is left. */
export interface ActiveExchanges {
  readonly active: readonly Exchange[]
  enter(exchange: Exchange): void
  leave(exchange: Exchange): void
  /** Calls back once, when nothing is active (at once if nothing is). Returns a function that cancels the callback. */
  whenIdle(callback: () => void): () => void
  /** Resolves when nothing is active, or after `ms`. */
  idle(ms: number): Promise<boolean>
}

/**
 * Keeps exchanges in an array; each knows its position. Not in a `Set`: V8 links an outgrown table of a set to its
 * successor, and keeps its entries alive until a major collection. Nearly every request was then copied to the old
 * generation, and minor collections took 20 ms.
 */
export function createActiveExchanges(position: 'positionInLoad' | 'positionInSnapshot'): ActiveExchanges {
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
      exchange[position] = active.length
      active.push(exchange)
    },
    leave(exchange) {
      if (exchange[position] === NOT_ACTIVE) return
      const last = active.pop() as Exchange
      if (last !== exchange) active[exchange[position]] = last
      last[position] = exchange[position]
      exchange[position] = NOT_ACTIVE
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
