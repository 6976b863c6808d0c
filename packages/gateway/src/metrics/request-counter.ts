import type { CounterConfiguration } from 'prom-client'
import { Counter } from './prometheus.ts'
import type { TenantLabel } from './tenant-cap.ts'

/** Counts requests by route, outcome and tenant. */
export interface RequestCounter {
  count(route: string, outcome: string, tenant: string): void
}

interface Series {
  readonly labels: Readonly<Record<string, string>>
  /** What the counter has not been told. */
  pending: number
}

/**
 * Makes it. Every request is counted, and prom-client checks and joins all labels each time: between two scrapes the
 * numbers are kept here, where one look-up finds them.
 */
export function createRequestCounter(
  configuration: CounterConfiguration<string>,
  tenantLabel: TenantLabel,
): RequestCounter {
  const known = new Map<string, Series>()
  new Counter({
    ...configuration,
    collect() {
      for (const series of known.values()) {
        if (series.pending > 0) this.inc(series.labels, series.pending)
        series.pending = 0
      }
    },
  })
  const seriesOf = (route: string, outcome: string, tenant: string): Series => {
    // A tenant may hold any character; the others are our own words, and the key can be read in one way.
    const key = `${route}\n${outcome}\n${tenant}`
    const series = known.get(key)
    if (series !== undefined) return series
    const tenant_id = tenantLabel(tenant, `${route}\n${outcome}`)
    if (tenant_id !== tenant) return seriesOf(route, outcome, tenant_id)
    const begun = { labels: { route, outcome, tenant_id }, pending: 0 }
    known.set(key, begun)
    return begun
  }
  return {
    count(route, outcome, tenant) {
      seriesOf(route, outcome, tenant).pending += 1
    },
  }
}
