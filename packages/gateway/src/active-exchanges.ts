import type { Exchange } from './exchange.ts'

/** Exchanges that are not over, and word of the moment when none is left. */
export interface ActiveExchanges {
  readonly active: ReadonlySet<Exchange>
  enter(exchange: Exchange): void
  leave(exchange: Exchange): void
  /** Calls back once, when nothing is active, at once where nothing is; what it returns takes the wish back. */
  whenIdle(callback: () => void): () => void
  /** Resolves when nothing is active, or after `ms`. */
  idle(ms: number): Promise<boolean>
}

/** Keeps exchanges from their beginning to their end. */
export function createActiveExchanges(): ActiveExchanges {
  const active = new Set<Exchange>()
  const waiting = new Set<() => void>()
  const whenIdle = (callback: () => void) => {
    const wake = () => {
      waiting.delete(wake)
      callback()
    }
    waiting.add(wake)
    if (active.size === 0) wake()
    return () => void waiting.delete(wake)
  }
  return {
    active,
    whenIdle,
    enter: (exchange) => void active.add(exchange),
    leave(exchange) {
      active.delete(exchange)
      if (active.size === 0) for (const wake of waiting) wake()
    },
    idle(ms) {
      if (active.size === 0) return Promise.resolve(true)
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
