/** One stream of a tenant. */
export interface StreamKey {
  readonly tenantId: string
  readonly streamId: string
}

/** Stores leases of streams where several gateways reach them. A lease ends by itself unless it is renewed. */
export interface LeaseStore {
  /** Writes and so proves that leases can be taken: a reachable store may still be read-only. */
  probe(): Promise<unknown>
  /** Takes a lease unless the tenant has `limit` leases. Counting and taking are one atomic step. */
  take(stream: StreamKey, limit: number): Promise<boolean>
  /** Renews the leases of streams, and restores those that the store has lost. */
  keep(tenantId: string, streamIds: readonly string[]): Promise<unknown>
  release(stream: StreamKey): Promise<unknown>
  /** Waits for the answers to all commands, then disconnects. */
  close(): Promise<unknown>
  /** Disconnects at once; commands without an answer reject. */
  destroy(): void
}

/** Intervals and time limits of leases, in milliseconds. Not configurable; tests use shorter ones. */
export interface LeaseTimes {
  /** The life of a lease without renewal: after it, the gateway of a stream counts as dead or disconnected. */
  readonly leaseMs: number
  /** Two renewals may fail before a lease ends. */
  readonly renewEveryMs: number
  /** How long a stream waits for the store before the gateway decides alone. */
  readonly answerWithinMs: number
  /** The time limit of a renewal. No request waits for it. */
  readonly enterWithinMs: number
  readonly connectWithinMs: number
  /** The pause between attempts to connect doubles from `retryFromMs` to `retryUpToMs`. */
  readonly retryFromMs: number
  readonly retryUpToMs: number
}

/** The times of production. All gateways of one store use the same. */
export const leaseTimes: LeaseTimes = {
  leaseMs: 15_000,
  renewEveryMs: 5000,
  answerWithinMs: 200,
  enterWithinMs: 1000,
  connectWithinMs: 1000,
  retryFromMs: 100,
  retryUpToMs: 2000,
}

/** An answer took too long. */
export class TooSlowError extends Error {
  override readonly name = 'TooSlowError'
  readonly code = 'TIMEOUT'
}

const SLICES = 4

/**
 * Rejects when an answer takes too long, or when the signal is aborted. Time in which this process itself was blocked
 * does not count: the limit is measured in slices, and a blocked process misses at most one of them. An answer that
 * has already arrived is read before the rejection.
 */
export function within<T>(ms: number, answer: Promise<T>, signal?: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let left = SLICES
  const timer = setInterval(() => {
    left -= 1
    if (left === 0) setImmediate(() => reject(new TooSlowError('no answer in time')))
  }, ms / SLICES)
  const aborted = () => reject(signal?.reason)
  signal?.addEventListener('abort', aborted)
  answer.then(resolve, reject)
  return promise.finally(() => {
    clearInterval(timer)
    signal?.removeEventListener('abort', aborted)
  })
}
