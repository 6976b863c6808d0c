import { randomUUID } from 'node:crypto'
import type { GatewayOptions } from '../config/config-schema.ts'
import { readCertificates } from '../config/read-pem.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { failureReason } from './failure-reason.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import type { ConnectHooks } from './lease-link.ts'
import type { LeaseStore } from './lease-store.ts'
import { type LeaseTimes, leaseTimes } from './lease-times.ts'
import type { StreamKey } from './living-streams.ts'
import { connectRedis } from './redis-lease-store.ts'
import type { ReleaseSlot, StreamSlots } from './stream-slots.ts'
import { within } from './within.ts'

/** What shared slots are made with. */
export interface SharedSlotsOptions {
  readonly shared: NonNullable<GatewayOptions['shared']>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'sharedLimitKept' | 'streamDecidedAlone'>
  readonly times?: LeaseTimes
}

/**
 * Slots that all gateways of one Redis have in common. Every stream holds a lease there, renewed while it lives. When
 * Redis does not do its part, each gateway keeps the same limit for itself; its streams are entered when Redis is back.
 */
export function createSharedStreamSlots(limit: () => number, options: SharedSlotsOptions): StreamSlots {
  const { metrics, times = leaseTimes } = options
  const gatewayId = randomUUID()
  const { connect, readAuthorities } = redisOf(options, gatewayId)
  const tell = createToldState(options)
  const keeper = createLeaseKeeper({
    times,
    connect,
    onFound: () => tell('shared'),
    onMissing: (error) => tell('local', error),
  })
  const { streams, lose, giveBack } = keeper
  let count = 0
  const isFull = (tenantId: string) => streams.held(tenantId) >= limit()
  const hold = (stream: StreamKey): ReleaseSlot => {
    streams.add(stream)
    return function releaseSlot() {
      if (streams.remove(stream)) giveBack(stream)
    }
  }
  const ask = async (store: LeaseStore, stream: StreamKey): Promise<ReleaseSlot | undefined> => {
    try {
      if (!(await within(times.answerWithinMs, store.take(stream, limit())))) return undefined
    } catch (error) {
      metrics.streamDecidedAlone()
      lose(store, error)
    }
    // This gateway may have filled up in the meantime, and Redis may have lost what it knew.
    if (!isFull(stream.tenantId)) return hold(stream)
    giveBack(stream)
    return undefined
  }
  return {
    held: streams.held,
    scope: () => (keeper.store === undefined ? 'local' : 'shared'),
    async warm() {
      readAuthorities()
      await keeper.open()
    },
    take(tenantId) {
      const { store } = keeper
      if (store === undefined) metrics.streamDecidedAlone()
      // What is open here alone is as much as the tenant may have anywhere: nobody else has to be asked.
      if (isFull(tenantId)) return undefined
      count += 1
      const stream = { tenantId, streamId: `${gatewayId}:${count}` }
      return store === undefined ? hold(stream) : ask(store, stream)
    },
    close: keeper.close,
  }
}

/** How Redis is reached. A file of authorities that cannot be used ends the start, and not a later attempt to connect. */
function redisOf({ shared, times = leaseTimes }: SharedSlotsOptions, gatewayId: string) {
  let authorities: readonly string[] | undefined
  return {
    readAuthorities() {
      if (shared.ca_file !== undefined)
        authorities = readCertificates(shared.ca_file, 'gateway.shared.ca_file').map(String)
    },
    connect: (hooks: ConnectHooks): Promise<LeaseStore> =>
      connectRedis({ ...times, ...hooks, url: shared.redis_url, authorities, gatewayId }),
  }
}

/** Says who decides when that changes, and only then: an outage is one line, however often Redis is tried again. */
function createToldState({ log, metrics }: SharedSlotsOptions) {
  let told: 'local' | 'shared' | undefined
  return (now: 'local' | 'shared', error?: unknown) => {
    if (now === told) return
    told = now
    metrics.sharedLimitKept(now === 'shared')
    if (now === 'shared') log.info('the stream limit is shared with other gateways')
    else
      log.warn('the stream limit is not shared, this gateway keeps it for itself', {
        reason: failureReason(error),
      })
  }
}
