import type { AuditEvent } from '@agentic-rest/profile'
import type { ReloadResult } from '../lifetime/reload.ts'
import type { FeedBatch } from './feed-batch.ts'
import type { ExchangeRow } from './recent-exchanges.ts'

/** The other processes of a gateway, as the one with the admin listener sees them. */
export interface Others {
  /** Reloads all of them, and this one. */
  reload(): Promise<ReloadResult>
  records(correlationId: string): Promise<readonly AuditEvent[]>
  recent(): Promise<readonly ExchangeRow[]>
  /** Whether somebody reads the feed, so that they have something to send. */
  look(isLooking: boolean): void
  /** Calls back with what they send; nothing of a process means that it is gone. */
  onBatch(take: (process: number, batch: FeedBatch | undefined) => void): void
}
