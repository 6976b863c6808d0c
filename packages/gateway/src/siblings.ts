import type { Others } from './admin/others.ts'
import type { Load } from './lifetime/load.ts'
import type { Snapshot } from './lifetime/snapshot.ts'
import type { GatewayStatus, Watcher } from './line/parts.ts'
import type { HandedConnections } from './listen/handed-connections.ts'
import type { Metrics } from './metrics/metrics.ts'

/** What a process says of itself when its siblings ask. */
export interface OwnAccount {
  readonly metrics: Metrics
  readonly degraded: () => readonly string[]
  readonly load: Load
  readonly current: () => Snapshot
}

/** What a process has in common with others that are one gateway with it; `workers/` makes it. */
export interface Siblings {
  /** Clients come by way of the process that listens for all. */
  readonly connections: HandedConnections
  /** Speaks for all of them, whichever is asked. */
  readonly spokesman: Pick<GatewayStatus, 'metrics' | 'degraded'>
  /** Tells the others what stands against a configuration here; resolves with what stands against it anywhere. */
  agree(faults: readonly string[]): Promise<readonly string[]>
  /** What the admin listener shows of the others, in the process that has it. */
  readonly others: Others | undefined
  /** Looks at requests for the admin listener, in a process that does not have it. */
  readonly watch: Watcher | undefined
  /** Lets the others ask. */
  join(account: OwnAccount): void
}
