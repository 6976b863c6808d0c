import { setImmediate as turn } from 'node:timers/promises'

// One turn ends, the next one accepts from the kernel's queue, the third one reads from the last connection.
const QUIET_TURNS = 3
/** Bounds the wait where clients connect as fast as they are accepted. */
export const EMPTY_QUEUE_MS = 2000
/** The kernel's queue has no more connections than this (Node's default backlog is 511), and each takes a turn. */
const QUEUE_LENGTH = 512
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
 *
 * A late turn does not use up `withinMs`: the queue gets at least as many turns as it can be long, within `latestMs`.
 */
export async function emptyAcceptQueue(
  accepted: () => number,
  withinMs = EMPTY_QUEUE_MS,
  latestMs = withinMs * 5,
): Promise<void> {
  const startedAt = performance.now()
  let quiet = 0
  let spentMs = 0
  for (let now = startedAt; spentMs < withinMs && now - startedAt < latestMs; ) {
    const before = { accepted: accepted(), now }
    await turn()
    now = performance.now()
    spentMs += Math.min(now - before.now, withinMs / QUEUE_LENGTH)
    quiet = accepted() === before.accepted ? quiet + 1 : 0
    const shortMs = SHORT_TURN_MS * 2 ** ((now - startedAt) / PATIENCE_MS)
    if (quiet >= QUIET_TURNS && now - before.now <= shortMs) return
  }
}
