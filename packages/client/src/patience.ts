import type { Answered } from './answer.ts'
import type { Clock } from './clock.ts'
import { retryAfterMs } from './retry-after.ts'

// A service that always answers Retry-After: 0 must not cause a busy loop.
const SHORTEST_MS = 100
const FIRST_MS = 250
const LONGEST_MS = 10_000

/** The total waiting time of one run. */
export interface Patience {
  /**
   * Waits for the Retry-After of the answer, otherwise with exponential backoff. Resolves with false at once if the rest
   * of the waiting time is too short.
   */
  pause(attempt: number, outcome?: Answered): Promise<boolean>
  /** Counts the time of some work as waiting time. */
  during<T>(work: () => Promise<T>): Promise<T>
}

/** The options of the waiting time. */
export interface PatienceOptions {
  readonly clock: Clock
  readonly maxWaitMs: number
  readonly signal: AbortSignal | undefined
}

/** Creates the waiting time of one run. */
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
    async during(work) {
      const [startedAt, before] = [clock.now(), leftMs]
      const result = await work()
      // Pauses within the work are counted already. A clock that is set back meanwhile does not add time.
      leftMs = Math.min(leftMs, before - (clock.now() - startedAt))
      return result
    },
  }
}

// Half fixed, half random: spreads callers that failed at the same time, and never retries at once.
function backOffMs(attempt: number, clock: Clock): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** attempt)
  return most / 2 + (most / 2) * clock.random()
}
