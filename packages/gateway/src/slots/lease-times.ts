/** How long things may take, in milliseconds. Operators have no say in it; tests do, because they do not want to wait. */
export interface LeaseTimes {
  /** After this a stream that nobody renews counts no more: its gateway is dead, or cut off. */
  readonly leaseMs: number
  /** Two renewals may fail before a lease runs out. */
  readonly renewEveryMs: number
  /** A stream waits for an answer this long, then the gateway decides alone. */
  readonly answerWithinMs: number
  /** Nobody waits for a renewal or for a connection. */
  readonly enterWithinMs: number
  readonly connectWithinMs: number
  /** The pause between attempts to connect doubles from the first to the second. */
  readonly retryFromMs: number
  readonly retryUpToMs: number
}

/** What gateways run with. All gateways of one store have the same. */
export const leaseTimes: LeaseTimes = {
  leaseMs: 15_000,
  renewEveryMs: 5000,
  answerWithinMs: 200,
  enterWithinMs: 1000,
  connectWithinMs: 1000,
  retryFromMs: 100,
  retryUpToMs: 2000,
}
