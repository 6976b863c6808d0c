import { type LinkTimes, linkTimes } from '../../redis/redis-link.ts'

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
}

/** Intervals and time limits of leases, in milliseconds. Not configurable; tests use shorter ones. */
export interface LeaseTimes extends LinkTimes {
  /** The life of a lease without renewal: after it, the gateway of a stream counts as dead or disconnected. */
  readonly leaseMs: number
  /** Two renewals may fail before a lease ends. */
  readonly renewEveryMs: number
}

/** The times of production. All gateways of one store use the same. */
export const leaseTimes: LeaseTimes = {
  ...linkTimes,
  leaseMs: 15_000,
  renewEveryMs: 5000,
}
