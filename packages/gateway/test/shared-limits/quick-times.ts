import type { LeaseTimes } from '../../src/limits/streams/lease-store.ts'

/** Short times for tests, yet long enough that a busy machine loses neither a lease nor its connection. */
export const quickTimes: LeaseTimes = {
  leaseMs: 1500,
  renewEveryMs: 150,
  answerWithinMs: 600,
  enterWithinMs: 1000,
  connectWithinMs: 1000,
  retryFromMs: 10,
  retryUpToMs: 50,
}
