import { randomUUID } from 'node:crypto'
import type { GatewaySection } from '../config/config-schema.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createSharedRedis, failureReason } from '../redis/redis-client.ts'
import { within } from '../redis/time-limit.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { type LeaseStore, type LeaseTimes, leaseTimes, type StreamKey } from './lease-store.ts'
import { createRedisLeases } from './redis-lease-store.ts'
import { createLocalStreamSlots, type ReleaseSlot, type StreamSlots } from './stream-slots.ts'

/** What shared slots are made with. */
export interface SharedSlotsOptions {
  readonly shared: NonNullable<GatewaySection['shared']>
  readonly log: Log
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
  const redis = createSharedRedis(options.shared, times)
  const holder = { gatewayId, leaseMs: times.leaseMs }
  const reportScope = createScopeReport(options)
  const keeper = new LeaseKeeper({
    times,
    connect: async (hooks) => createRedisLeases(await redis.connect(hooks), holder),
    onFound: () => reportScope('shared'),
    onMissing: (error) => reportScope('local', error),
  })
  const { streams } = keeper
  let count = 0
  const isFull = (tenantId: string) => streams.held(tenantId) >= limit()
  const hold = (stream: StreamKey): ReleaseSlot => {
    streams.add(stream)
    return function releaseSlot() {
      if (streams.remove(stream)) keeper.giveBack(stream)
    }
  }
  const ask = async (store: LeaseStore, stream: StreamKey): Promise<ReleaseSlot | undefined> => {
    try {
      if (!(await within(times.answerWithinMs, store.take(stream, limit())))) return undefined
    } catch (error) {
      metrics.streamDecidedAlone()
      keeper.lose(store, error)
    }
    // This gateway may have reached the limit in the meantime, and Redis may have lost its data.
    if (!isFull(stream.tenantId)) return hold(stream)
    keeper.giveBack(stream)
    return undefined
  }
  return {
    held: (tenantId) => streams.held(tenantId),
    scope: () => (keeper.store === undefined ? 'local' : 'shared'),
    async warm() {
      redis.readFiles()
      await keeper.open()
    },
    take(tenantId) {
      const { store } = keeper
      if (store === undefined) metrics.streamDecidedAlone()
      // The streams of this gateway alone reach the limit: Redis need not be asked.
      if (isFull(tenantId)) return undefined
      count += 1
      const stream = { tenantId, streamId: `${gatewayId}:${count}` }
      return store === undefined ? hold(stream) : ask(store, stream)
    },
    close: () => keeper.close(),
  }
}

/** Logs and counts a change of scope, and only a change: an outage is one line, however many attempts fail. */
function createScopeReport({ log, metrics }: SharedSlotsOptions) {
  let reported: 'local' | 'shared' | undefined
  return (now: 'local' | 'shared', error?: unknown) => {
    if (now === reported) return
    reported = now
    metrics.sharedLimitKept(now === 'shared')
    if (now === 'shared') log.info('the stream limit is shared with other gateways')
    else
      log.warn('the stream limit is not shared, this gateway keeps it for itself', {
        reason: failureReason(error),
      })
  }
}
