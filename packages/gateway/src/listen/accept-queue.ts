import { setImmediate as turn } from 'node:timers/promises'

// One turn ends, the next one accepts from the kernel's queue, the third one reads from the last connection.
const QUIET_TURNS = 3
/** Bounds the wait where clients connect as fast as they are accepted. */
export const EMPTY_QUEUE_MS = 2000

/**
 * Resolves when every connection in the kernel's accept queue is accepted. Closing a listener resets the connections that
 * still wait there, and their clients may have sent a request already. Node accepts one connection a turn, so this ends
 * after a few turns without one.
 */
export async function emptyAcceptQueue(
  accepted: () => number = () => 0,
  withinMs = EMPTY_QUEUE_MS,
): Promise<void> {
  const until = performance.now() + withinMs
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until; ) {
    const before = accepted()
    await turn()
    quiet = accepted() === before ? quiet + 1 : 0
  }
}
