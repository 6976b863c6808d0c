import type { AuditEvent } from '@agentic-rest/profile'
import type { Exchange } from '../../exchange.ts'
import type { EmitLedger, ExporterName } from './emit-ledger.ts'

/** How long `close` may take, also when nobody reads any more. */
export const FLUSH_MS = 2_000

/** Takes completed records to where they are kept. */
export interface AuditExporter {
  readonly name: ExporterName
  readonly ledger: EmitLedger
  /** Takes the completed record of a request. Never waits. */
  write(event: AuditEvent, exchange: Exchange): void
  /** Flushes for at most `FLUSH_MS`. */
  close(): Promise<void>
}
