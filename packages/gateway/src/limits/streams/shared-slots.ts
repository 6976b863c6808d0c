import { randomUUID } from 'node:crypto'
import type { GatewaySection } from '../../config/config-schema.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { RedisUse } from '../../redis/redis-link.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { type LeaseTimes, leaseTimes, type StreamKey } from './lease-store.ts'
import { createRedisLeases } from './redis-lease-store.ts'
import { createLocalStreamSlots, type ReleaseSlot, type StreamSlots } from './stream-slots.ts'

/** What shared slots are made with. */
export interface SharedSlotsOptions extends RedisUse {
  readonly metrics: Pick<Metrics, 'sharedLimitKept' | 'streamDecidedAlone'>
  readonly times?: LeaseTimes
}

/** What the slots of a configuration are made with. */
export interface SlotsWorld extends Omit<SharedSlotsOptions, 'shared'> {
  /** The section `gateway.shared`, if there is one. */
  readonly shared: GatewaySection['shared']
}

/** Makes the slots of a configuration: shared with other gateways, or counted in this process alone. */
export function createStreamSlots(limit: () => number, { shared, ...world }: SlotsWorld): StreamSlots {
  return shared === undefined
    ? createLocalStreamSlots(limit)
    : createSharedStreamSlots(limit, { ...world, shared })
}

/**
 * Makes slots that all gateways of one Redis share. Every open stream holds a lease in Redis, which its gateway renews.
 * Without Redis each gateway applies the same limit to its own streams; it enters them when Redis is back.
 */
export function createSharedStreamSlots(limit: () => number, options: SharedSlotsOptions): StreamSlots {
  const { metrics, times = leaseTimes } = options
  const gatewayId = randomUUID()
  const holder = { gatewayId, leaseMs: times.leaseMs }
  const keeper = new LeaseKeeper({
    ...options,
    times,
    connect: async (open) => createRedisLeases(await open(), holder),
    found: 'the stream limit is shared with other gateways',
    missing: 'the stream limit is not shared, this gateway keeps it for itself',
    onChange: (isFound) => metrics.sharedLimitKept(isFound),
  })
  const { streams, link } = keeper
  let count = 0
  const isFull = (tenantId: string) => streams.held(tenantId) >= limit()
  const hold = (stream: StreamKey): ReleaseSlot => {
    streams.add(stream)
    return function releaseSlot() {
      if (streams.remove(stream)) keeper.giveBack(stream)
    }
  }
  const ask = async (stream: StreamKey): Promise<ReleaseSlot | undefined> => {
    try {
      if (!(await link.ask((store) => store.take(stream, limit())))) return undefined
    } catch {
      metrics.streamDecidedAlone()
    }
    // This gateway may have reached the limit in the meantime, and Redis may have lost its data.
    if (!isFull(stream.tenantId)) return hold(stream)
    keeper.giveBack(stream)
    return undefined
  }
  return {
    held: (tenantId) => streams.held(tenantId),
    scope: () => (link.isAlone ? 'local' : 'shared'),
    warm: async () => await link.open(),
    take(tenantId) {
      const { store } = link
      if (store === undefined) metrics.streamDecidedAlone()
      // The streams of this gateway alone reach the limit: Redis need not be asked.
      if (isFull(tenantId)) return undefined
      count += 1
      const stream = { tenantId, streamId: `${gatewayId}:${count}` }
      return store === undefined ? hold(stream) : ask(stream)
    },
    close: () => keeper.close(),
  }
}
