import type { StreamKey } from './living-streams.ts'

/** Leases of streams, somewhere that several gateways reach. A lease that is not renewed ends by itself. */
export interface LeaseStore {
  /** Shows that leases can be taken: a store may be there and still refuse to be written. */
  probe(): Promise<unknown>
  /** Takes a lease, unless the tenant has as many as `limit`. Counting and taking is one step, whoever else asks. */
  take(stream: StreamKey, limit: number): Promise<boolean>
  /** Gives streams a new lease, also those that the store has lost. */
  keep(tenantId: string, streamIds: readonly string[]): Promise<unknown>
  release(stream: StreamKey): Promise<unknown>
  /** Waits for the answers to everything that was sent, then ends. */
  close(): Promise<unknown>
  /** Ends at once; what waits for an answer is rejected. */
  destroy(): void
}
