import type { Exchange } from '../exchange.ts'
import type { Load } from '../lifetime/load.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { StreamSlots } from '../slots/stream-slots.ts'
import type { OwnEndpoints } from './own-endpoints.ts'

/** Looks at a request that is over, its record completed. It must not throw, and not wait. */
export type Watcher = (exchange: Exchange) => void

/** What the steps of a request work with. A gateway makes one set of them for each configuration and owns it. */
export interface GatewayParts {
  /** The only part that a reload replaces: a request that has begun keeps its own. */
  readonly snapshot: Snapshot
  readonly load: Load
  readonly slots: StreamSlots
  readonly metrics: Metrics
  readonly own: OwnEndpoints
  readonly log: Log
  /** Who looks on: told of every request when it is over. */
  readonly watchers: readonly Watcher[]
  /** The gateway is going down and takes no new work. */
  readonly isClosing: () => boolean
}
