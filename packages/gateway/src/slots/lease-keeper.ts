import { createLeaseLink, type LeaseLink, type LeaseLinkOptions } from './lease-link.ts'
import type { LeaseStore } from './lease-store.ts'
import { createLivingStreams, type LivingStreams, type StreamKey } from './living-streams.ts'
import { within } from './within.ts'

/** Sees to it that the store has a lease for every open stream of this gateway, and none for another. */
export interface LeaseKeeper extends Pick<LeaseLink, 'store' | 'open' | 'lose'> {
  readonly streams: LivingStreams
  /** Ends the lease of a stream, now or when the store is back. */
  giveBack(stream: StreamKey): void
  /** Ends all leases and the connection. */
  close(): Promise<void>
}

/** What it is made with. */
export type LeaseKeeperOptions = Pick<LeaseLinkOptions, 'times' | 'connect' | 'onMissing'> & {
  readonly onFound: () => void
}

/** Makes it; it connects when it is opened. */
export function createLeaseKeeper({ times, connect, onMissing, onFound }: LeaseKeeperOptions): LeaseKeeper {
  const streams = createLivingStreams()
  const enter = (store: LeaseStore) => within(times.enterWithinMs, enterAll(store, streams))
  const renew = (store: LeaseStore) => void enter(store).catch((error) => link.lose(store, error))
  const link = createLeaseLink({
    times,
    connect,
    enter,
    onMissing,
    onFound(store) {
      onFound()
      // What began or ended while the store was filled is sent before anything else is asked.
      renew(store)
    },
  })
  const timer = setInterval(() => link.store !== undefined && renew(link.store), times.renewEveryMs).unref()
  return {
    streams,
    open: link.open,
    lose: link.lose,
    get store() {
      return link.store
    },
    giveBack(stream) {
      const { store } = link
      if (store === undefined) return streams.owe(stream)
      store.release(stream).catch((error: unknown) => {
        streams.owe(stream)
        link.lose(store, error)
      })
    },
    async close() {
      clearInterval(timer)
      const store = link.close()
      if (store !== undefined) await within(times.answerWithinMs, endAll(store, streams)).catch(store.destroy)
    },
  }
}

/** One batch, in which the store loses the streams that have ended and gets those that live. */
async function enterAll(store: LeaseStore, streams: LivingStreams): Promise<void> {
  const owed = streams.owed()
  await Promise.all([
    store.probe(),
    ...owed.map(store.release),
    ...streams.byTenant().map(([tenantId, streamIds]) => store.keep(tenantId, streamIds)),
  ])
  streams.settle(owed)
}

async function endAll(store: LeaseStore, streams: LivingStreams): Promise<void> {
  const ended = streams
    .byTenant()
    .flatMap(([tenantId, streamIds]) => streamIds.map((streamId) => store.release({ tenantId, streamId })))
  await Promise.all([...ended, store.close()])
}
