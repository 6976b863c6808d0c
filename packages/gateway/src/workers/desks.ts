import type { AuditEvent } from '@agentic-rest/profile'
import type { FeedBatch } from '../admin/feed-batch.ts'
import type { ExchangeRow } from '../admin/recent-exchanges.ts'
import type { ReloadResult } from '../lifetime/reload.ts'
import type { ClientSocket } from '../listen/handed-connections.ts'
import type { LogLevel } from '../log.ts'
import type { Exposition, MetricValues } from '../metrics/registry.ts'

/** What a worker is started with. */
export interface Boot {
  /** From 1; the first one has the admin listener. */
  readonly index: number
  readonly count: number
  readonly file: string
  /** The configuration in use, which the file may not hold any more. */
  readonly text: string
  readonly consoleFolder: string | undefined
  readonly log: { readonly level: LogLevel; readonly pretty: boolean }
  /** Whether somebody reads the feed of the console. */
  readonly looking: boolean
  /** It is the first of its place: what is unwise about the configuration has not been told yet. */
  readonly isFirst: boolean
}

/** What a worker that takes requests has to tell. */
export interface Started {
  readonly adminPort: number | undefined
}

/** Why a worker did not start. */
export interface StartFailure {
  readonly reason: string
  /** The configuration or its surroundings are at fault, not the program. */
  readonly isInitialisation: boolean
}

/** What a worker may ask the primary, or tell it. */
export interface PrimaryDesk {
  boot(value: null): Boot
  /** It could take connections. The answer is the port, once clients can come: when all workers could. */
  ready(value: null): number
  started(value: Started): void
  failed(failure: StartFailure): void
  /** A connection that was handed over has arrived. */
  taken(value: null): void
  closed(connections: number): void
  closeDoor(value: null): void
  /** A number that stands for the slot, or nothing when the tenant has all it may have. */
  takeSlot(tenantId: string): number | undefined
  releaseSlot(id: number): void
  metrics(value: null): Exposition
  counts(values: MetricValues): void
  degraded(value: null): readonly string[]
  reload(value: null): ReloadResult
  agree(faults: readonly string[]): readonly string[]
  look(isLooking: boolean): void
  feed(batch: FeedBatch): void
  records(correlationId: string): readonly AuditEvent[]
  recent(value: null): readonly ExchangeRow[]
}

/** What the primary may ask a worker, or tell it. */
export interface WorkerDesk {
  connection(value: null, socket?: ClientSocket): void
  metrics(value: null): MetricValues
  degraded(value: null): readonly string[]
  reload(text: string): ReloadResult
  drain(value: null): void
  look(isLooking: boolean): void
  feed(value: { readonly worker: number; readonly batch: FeedBatch | undefined }): void
  records(correlationId: string): readonly AuditEvent[]
  recent(value: null): readonly ExchangeRow[]
}
