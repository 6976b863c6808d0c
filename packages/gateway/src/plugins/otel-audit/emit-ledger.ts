import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics/metrics.ts'

/** The exporters of the audit record, as the configuration and the metrics name them. */
export type ExporterName = 'stdout' | 'otlp'

/** Books what became of every record, so that written + dropped = requests (decision 24). */
export interface EmitLedger {
  /** A batch arrived after so many seconds. */
  written(records: number, seconds: number): void
  /** Records are lost; `seconds` is given when they were lost on their way and not before it. */
  dropped(records: number, cause: unknown, seconds?: number): void
  /** The last thing that happened was a loss. */
  failing(): boolean
  /** Reports losses that no warning has named yet. */
  close(): void
}

/** What a ledger books to. */
export interface EmitLedgerOptions {
  readonly exporter: ExporterName
  readonly metrics: Pick<Metrics, 'auditEmitted' | 'auditEmitDuration'>
  readonly log: Log
  /** Milliseconds of a clock that never goes back; replaced by tests. */
  readonly now?: () => number
}

/** One warning per interval: an outage at full load must not become a second outage, that of the log. */
export const WARN_INTERVAL_MS = 10_000

/** Makes the ledger of one exporter. */
export function createEmitLedger({ exporter, metrics, log, now }: EmitLedgerOptions): EmitLedger {
  const warn = createLossWarning(exporter, log, now ?? (() => performance.now()))
  let failing = false
  return {
    written(records, seconds) {
      failing = false
      metrics.auditEmitted(exporter, 'ok', records)
      metrics.auditEmitDuration(exporter, seconds)
    },
    dropped(records, cause, seconds) {
      failing = true
      metrics.auditEmitted(exporter, 'error', records)
      if (seconds !== undefined) metrics.auditEmitDuration(exporter, seconds)
      warn.lost(records, cause)
    },
    failing: () => failing,
    close: () => warn.flush(),
  }
}

/** Adds losses up and says so at once the first time, then at most once per interval. */
function createLossWarning(exporter: ExporterName, log: Log, now: () => number) {
  let unreported = 0
  let lastCause: unknown
  let nextAt = Number.NEGATIVE_INFINITY
  const flush = () => {
    if (unreported === 0) return
    log.warn('audit records were dropped', { exporter, records: unreported, cause: lastCause })
    unreported = 0
    nextAt = now() + WARN_INTERVAL_MS
  }
  const lost = (records: number, cause: unknown) => {
    unreported += records
    lastCause = cause instanceof Error ? cause.message : cause
    if (now() >= nextAt) flush()
  }
  return { lost, flush }
}
