import type { GatewaySection } from '../config/config-schema.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { LimitStore } from './limit-store.ts'
import { createMemoryStore } from './memory-store.ts'

/** What the store of a configuration is made with. */
export interface StoreWorld {
  /** The section `gateway.shared`, if there is one. */
  readonly shared: GatewaySection['shared']
  readonly log: Log
  readonly metrics: Pick<Metrics, 'limitStoreKept' | 'limitsDecidedAlone'>
}

/** Makes the store of a configuration. */
export function createLimitStore(_world: StoreWorld): LimitStore {
  return createMemoryStore()
}
