import type { Log } from '../log.ts'
import { cancelAll } from './drain.ts'
import type { Snapshot } from './snapshot.ts'

/** The snapshot that the next request gets, and the former ones that requests still hold. */
export interface Snapshots {
  readonly current: Snapshot
  /** Puts another in its place. The former one is closed with its last request. */
  replace(next: Snapshot): void
  /** Closes all of them. */
  close(): Promise<void>
}

/**
 * How many former ones may be held at a time. Deadlines end most requests soon; only streams without one could collect
 * snapshots for ever, and one more than this ends those of the oldest in order.
 */
export const MAX_FORMER = 8

/** Begins with the snapshot of the start. */
export function createSnapshots(first: Snapshot, log: Log): Snapshots {
  const former = new Set<Snapshot>()
  let current = first
  const close = async (old: Snapshot) => {
    await old.close().catch((error) => log.error('a former configuration did not close', { error }))
    former.delete(old)
  }
  return {
    get current() {
      return current
    },
    replace(next) {
      const old = current
      current = next
      former.add(old)
      old.requests.whenIdle(() => void close(old))
      endSurplus(former, log)
    },
    async close() {
      await Promise.all([...former, current].map(close))
    },
  }
}

function endSurplus(former: ReadonlySet<Snapshot>, log: Log): void {
  const [oldest, ...rest] = [...former].filter(({ requests }) => requests.active.length > 0)
  if (oldest === undefined || rest.length < MAX_FORMER) return
  const cancelled = oldest.requests.active.length
  log.warn('too many configurations are in use: requests of the oldest are ended', { cancelled })
  void cancelAll(oldest.requests)
}
