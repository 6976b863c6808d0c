import type { GatewaySection } from '../config/config-schema.ts'
import type { KeyStore } from './key-store.ts'
import { createMemoryStore } from './memory-keys.ts'
import { createSharedKeys, type SharedKeysOptions } from './shared-keys.ts'

/** What the keys of a configuration are made with. */
export interface KeyWorld
  extends Omit<SharedKeysOptions, 'shared'>,
    Pick<GatewaySection, 'shared' | 'idempotency'> {}

/** Makes the store of a configuration: shared with other gateways, or in this process alone. */
export function createKeyStore({ shared, idempotency, ...world }: KeyWorld): KeyStore {
  return shared === undefined || idempotency.store === 'memory'
    ? createMemoryStore()
    : createSharedKeys({ ...world, shared })
}
