import { setImmediate as turn } from 'node:timers/promises'

// One turn ends, the next one accepts from the kernel's queue, the third one reads from the last connection.
const QUIET_TURNS = 3
/** Bounds the wait where clients connect as fast as they are accepted. */
export const EMPTY_QUEUE_MS = 2000
/** A connection that comes later in a turn than the look at the queue is not seen. A short turn leaves it little time. */
const SHORT_TURN_MS = 0.05
/** The time after which a turn may be twice as long: a busy gateway has no short ones. */
const PATIENCE_MS = 100

/** Resolves when everything that has arrived by now was read. */
export async function quietTurns(): Promise<void> {
  for (let count = 0; count < QUIET_TURNS; count += 1) await turn()
}

/**
 * Resolves when every connection in the kernel's accept queue is accepted. Closing a listener resets the connections that
 * still wait there, and their clients may have sent a request already. Node accepts one connection a turn, so this ends
 * after a few turns without one, the last of them short. The caller closes the listener in the same turn.
 */
export async function emptyAcceptQueue(accepted: () => number, withinMs = EMPTY_QUEUE_MS): Promise<void> {
  const startedAt = performance.now()
  for (let quiet = 0, now = startedAt; now - startedAt < withinMs; ) {
    const before = { accepted: accepted(), now }
    await turn()
    now = performance.now()
    quiet = accepted() === before.accepted ? quiet + 1 : 0
    const shortMs = SHORT_TURN_MS * 2 ** ((now - startedAt) / PATIENCE_MS)
    if (quiet >= QUIET_TURNS && now - before.now <= shortMs) return
  }
}
