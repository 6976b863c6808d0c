import type { LeaseStore } from './lease-store.ts'
import type { LeaseTimes } from './lease-times.ts'

/** What keeps a gateway connected with the store of its leases. */
export interface LeaseLink {
  /** The store, while it answers and has all streams of this gateway. */
  readonly store: LeaseStore | undefined
  /** Resolves when the first attempt to connect has succeeded or failed. */
  open(): Promise<void>
  /** A store did not do what it was asked: it is left, and tried again after a pause. */
  lose(store: LeaseStore, error: unknown): void
  close(): LeaseStore | undefined
}

/** What a connection is made with. */
export interface ConnectHooks {
  /** Called when the connection ends by itself. */
  readonly onLost: (error: unknown) => void
  /** Aborted when nobody waits for the connection any more. */
  readonly signal: AbortSignal
}

/** What the link is made with. */
export interface LeaseLinkOptions {
  readonly times: LeaseTimes
  readonly connect: (hooks: ConnectHooks) => Promise<LeaseStore>
  /** Brings everything that the store has to know into it. */
  readonly enter: (store: LeaseStore) => Promise<void>
  readonly onFound: (store: LeaseStore) => void
  readonly onMissing: (error: unknown) => void
}

/** Makes the link. A store is taken as found only when it has all streams, so that it decides by the whole truth. */
export function createLeaseLink({ times, connect, enter, onFound, onMissing }: LeaseLinkOptions): LeaseLink {
  let found: LeaseStore | undefined
  let failures = 0
  let entering: LeaseStore | undefined
  const ending = new AbortController()
  const { signal } = ending
  let timer: NodeJS.Timeout | undefined
  const lose = (store: LeaseStore, error: unknown) => {
    if (store !== found) return
    found = undefined
    miss(store, error)
  }
  const miss = (store: LeaseStore | undefined, error: unknown) => {
    store?.destroy()
    if (signal.aborted) return
    onMissing(error)
    timer = setTimeout(() => void attempt(), pause(times, failures)).unref()
    failures += 1
  }
  const attempt = async () => {
    let store: LeaseStore | undefined
    try {
      store = await connect({ signal, onLost: (error) => store !== undefined && lose(store, error) })
      entering = store
      await enter(store)
      signal.throwIfAborted()
      found = store
      failures = 0
      onFound(store)
    } catch (error) {
      miss(store, error)
    } finally {
      entering = undefined
    }
  }
  return {
    get store() {
      return found
    },
    open: attempt,
    lose,
    close() {
      ending.abort()
      clearTimeout(timer)
      entering?.destroy()
      const last = found
      found = undefined
      return last
    },
  }
}

/** Doubles with every failure. Half of it is left to chance, so that many gateways do not come back all at once. */
function pause({ retryFromMs, retryUpToMs }: LeaseTimes, failures: number): number {
  const full = Math.min(retryUpToMs, retryFromMs * 2 ** failures)
  return full / 2 + (Math.random() * full) / 2
}
