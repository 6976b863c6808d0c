/** What the plugins report; the gateway's own metrics are added in `createMetrics`. */
export interface Metrics {
  /** Audit records that an exporter wrote (`ok`) or lost (`error`). */
  auditEmitted(exporter: string, outcome: 'ok' | 'error', records: number): void
  /** How long one emit or batch took. */
  auditEmitDuration(exporter: string, seconds: number): void
  /** A body of a type that prompt-sanitize does not look into passed untouched. */
  sanitizeSkipped(route: string): void
}
