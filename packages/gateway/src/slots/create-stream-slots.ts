import type { GatewayOptions } from '../config/config-schema.ts'
import { createSharedStreamSlots, type SharedSlotsOptions } from './shared-slots.ts'
import { createLocalStreamSlots, type StreamSlots } from './stream-slots.ts'

/** What a store of slots may need of its gateway. */
export interface SlotsWorld extends Omit<SharedSlotsOptions, 'shared'> {
  /** The section `gateway.shared`, where there is one. */
  readonly shared: GatewayOptions['shared']
}

/** The slots that a configuration asks for: those of this process, or those that it shares with other gateways. */
export function createStreamSlots(limit: () => number, { shared, ...world }: SlotsWorld): StreamSlots {
  return shared === undefined
    ? createLocalStreamSlots(limit)
    : createSharedStreamSlots(limit, { ...world, shared })
}
