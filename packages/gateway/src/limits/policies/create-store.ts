import type { GatewaySection } from '../../config/config-schema.ts'
import type { LimitStore } from './limit-store.ts'
import { createMemoryStore } from './memory-store.ts'
import { createSharedStore, type SharedStoreOptions } from './shared-store.ts'

/** What the store of a configuration is made with. */
export interface StoreWorld extends Omit<SharedStoreOptions, 'shared'> {
  /** The section `gateway.shared`, if there is one. */
  readonly shared: GatewaySection['shared']
}

/** Makes the store of a configuration: shared with other gateways, or in this process alone. */
export function createLimitStore({ shared, ...world }: StoreWorld): LimitStore {
  return shared === undefined ? createMemoryStore() : createSharedStore({ ...world, shared })
}
