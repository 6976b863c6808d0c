import type { AuditEvent } from '@agentic-rest/profile'
import type { Exchange } from '../../exchange.ts'
import type { Log } from '../../log.ts'
import type { Metrics } from '../../metrics/metrics.ts'

/** The exporters of the audit record, as named in the configuration and the metrics. */
export type ExporterName = 'stdout' | 'otlp' | 'file'

/** How long `close` waits for a receiver that takes no record. */
export const FLUSH_SILENCE_MS = 2_000
/** How long `close` waits for a receiver that still takes records; the supervisor allows ten seconds for the whole end. */
export const FLUSH_LONGEST_MS = 5_000

/** Sends completed records to stdout, to a collector or to a file. */
export interface AuditExporter {
  readonly name: ExporterName
  readonly report: DeliveryReport
  /** Takes the completed record of a request. Never waits. */
  write(event: AuditEvent, exchange: Exchange): void
  /** Flushes for at most `FLUSH_LONGEST_MS`. */
  close(): Promise<void>
}

/** Counts every record once, as written or dropped, so that written + dropped = requests (decision 24). */
export interface DeliveryReport {
  /** A batch arrived after this many seconds. */
  written(records: number, seconds: number): void
  /** Records are lost; `seconds` is the time of a failed send, absent when there was none. */
  dropped(records: number, cause: unknown, seconds?: number): void
  /** Whether the last event was a loss. */
  failing(): boolean
  /** Logs the losses since the last warning. */
  close(): void
}

/** The targets of a report. */
export interface DeliveryReportOptions {
  readonly exporter: ExporterName
  readonly metrics: Pick<Metrics, 'auditEmitted' | 'auditEmitDuration'>
  readonly log: Log
  /** Milliseconds of a monotonic clock; replaced by tests. */
  readonly now?: () => number
}

/** One warning per interval, so that an outage of the exporter under load does not flood the log. */
export const WARN_INTERVAL_MS = 10_000

/** Creates the report of one exporter. */
export function createDeliveryReport(options: DeliveryReportOptions): DeliveryReport {
  const { exporter, metrics, log, now = () => performance.now() } = options
  const warning = createLossWarning(exporter, log, now)
  let failing = false
  // The series exists from the start, so that the first loss is an increase.
  metrics.auditEmitted(exporter, 'error', 0)
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
      warning.add(records, cause)
    },
    failing: () => failing,
    close: () => warning.flush(),
  }
}

/** Logs the first loss at once, then the sum of losses at most once per interval. */
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
  const add = (records: number, cause: unknown) => {
    unreported += records
    lastCause = cause instanceof Error ? cause.message : cause
    if (now() >= nextAt) flush()
  }
  return { add, flush }
}
