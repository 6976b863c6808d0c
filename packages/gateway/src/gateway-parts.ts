import type { Load } from './load.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { OwnEndpoints } from './own-endpoints.ts'
import type { Snapshot } from './snapshot.ts'
import type { StreamSlots } from './stream-slots.ts'

/** What the steps of a request work with. A gateway makes one set of them and owns it. */
export interface GatewayParts {
  readonly snapshot: Snapshot
  readonly load: Load
  readonly slots: StreamSlots
  readonly metrics: Metrics
  readonly own: OwnEndpoints
  readonly log: Log
  /** The gateway is going down and takes no new work. */
  readonly isClosing: () => boolean
}
