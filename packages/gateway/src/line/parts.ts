import type { Exchange } from '../exchange.ts'
import type { KeyStore } from '../idempotency/key-store.ts'
import type { Snapshot } from '../lifetime/snapshot.ts'
import type { Load } from '../limits/in-flight/load.ts'
import type { StreamSlots } from '../limits/streams/stream-slots.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Exposition } from '../metrics/registry.ts'
import type { ReasonLog } from './reason-log.ts'

/** Sees a finished request with its completed record. It must not throw, and not wait. */
export type Watcher = (exchange: Exchange) => void

/** The gateway's report on itself, for `/metrics` and `/readyz`. */
export interface GatewayStatus {
  readonly metrics: { expose(): Exposition | Promise<Exposition> }
  /** Why the gateway is less than ready without being unready. */
  readonly degraded: () => readonly string[] | Promise<readonly string[]>
  readonly isDraining: () => boolean
}

/** The parts of a gateway that the steps of a request use. A reload replaces the whole set. */
export interface Parts {
  /** The only part that a reload changes: a request that has begun keeps its own. */
  readonly snapshot: Snapshot
  readonly load: Load
  readonly slots: StreamSlots
  /** The idempotency keys of all configurations. */
  readonly keys: KeyStore
  readonly metrics: Metrics
  readonly status: GatewayStatus
  readonly log: Log
  readonly reasonLog: ReasonLog
  /** Called with every finished request. */
  readonly watchers: readonly Watcher[]
  /** The gateway is shutting down and takes no new work. */
  readonly isClosing: () => boolean
}
