import type { Answered } from './answer.ts'
import type { Clock } from './clock.ts'
import { retryAfterMs } from './retry-after.ts'

// A service that says "at once" again and again must not be asked in a busy loop.
const SHORTEST_MS = 100
const FIRST_MS = 250
const LONGEST_MS = 10_000

/** How long one run is ready to wait, altogether. */
export interface Patience {
  /**
   * Waits as long as the answer says, else longer from attempt to attempt. False, at once, when that is more than
   * what is left: then there is no use in waiting at all.
   */
  pause(attempt: number, outcome?: Answered): Promise<boolean>
}

/** What patience is made of. */
export interface PatienceOptions {
  readonly clock: Clock
  readonly maxWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** Makes the patience of one run. */
export function createPatience({ clock, maxWaitMs, signal }: PatienceOptions): Patience {
  let leftMs = maxWaitMs
  return {
    async pause(attempt, outcome) {
      const told = outcome && retryAfterMs(outcome, clock.now())
      const waitMs = Math.max(told || backOffMs(attempt, clock), SHORTEST_MS)
      if (waitMs > leftMs) return false
      leftMs -= waitMs
      await clock.sleep(waitMs, signal)
      return true
    },
  }
}

// Half fixed, half by chance: callers that failed together do not come back together, and none comes back at once.
function backOffMs(attempt: number, clock: Clock): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
  return most / 2 + (most / 2) * clock.random()
}
