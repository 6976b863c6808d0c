import type { Exchange } from '../../exchange.ts'

/** How often the gateway looks at its requests and at its own delay. */
export const LOOK_INTERVAL_MS = 100

/**
 * Sets the end of a request's time, by `performance.now()`. It gets its timer from `startTimers`: most requests are
 * answered before that, and a timer of their own would cost each of them 1 µs.
 */
export function setDeadline(exchange: Exchange, at: number): void {
  exchange.deadlineAt = at
  const now = performance.now()
  if (at < now + 2 * LOOK_INTERVAL_MS) startTimer(exchange, at, now)
}

/** Gives each request with a deadline one exact timer (F7), unless it has one. */
export function startTimers(active: readonly Exchange[]): void {
  const now = performance.now()
  for (const exchange of active) {
    const { deadline, deadlineAt } = exchange
    if (deadline === undefined && deadlineAt !== undefined) startTimer(exchange, deadlineAt, now)
  }
}

function startTimer(exchange: Exchange, at: number, now: number): void {
  // A request that waited behind others on its connection may be late already; Node warns of a negative time.
  exchange.deadline = setTimeout(() => exchange.signal.cancel('timeout'), Math.max(1, at - now))
}
