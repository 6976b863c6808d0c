import { metricTable } from '../metrics/metric-table.ts'
import { type Exposition, type MetricValues, Registry } from '../metrics/registry.ts'
import { createTenantCap } from '../metrics/tenant-cap.ts'

/** The metrics of all workers as those of one gateway. */
export interface MergedMetrics<Worker extends object> {
  /** Keeps the latest counts of a worker. */
  counted(worker: Worker, counts: MetricValues): void
  /** The worker has ended; its counts stay. */
  leave(worker: Worker): void
  /** Merges the workers' values of now, the counts of ended workers and the primary's own values. */
  expose(now: ReadonlyMap<Worker, MetricValues>, own: MetricValues): Exposition
}

/** Only the primary knows how often all workers were reloaded together. */
const primaryOnly: ReadonlySet<string> = new Set([
  metricTable.configReloads.name,
  metricTable.configReloaded.name,
  metricTable.configLoadedAt.name,
])

/** Makes it. Totals never go down, whichever worker ends. */
export function createMergedMetrics<Worker extends object>(): MergedMetrics<Worker> {
  const last = new Map<Worker, MetricValues>()
  const left = new WeakSet<Worker>()
  // Each worker names its own first tenants; merged, they name no more than one gateway does (F15).
  const capTenants = createTenantCap()
  const ended = new Registry(capTenants)
  return {
    counted(worker, counts) {
      // A worker may end between its answer to a scrape and the merge: its counts are in `ended` by then.
      if (!left.has(worker)) last.set(worker, counts)
    },
    leave(worker) {
      ended.merge(last.get(worker) ?? [])
      last.delete(worker)
      left.add(worker)
    },
    expose(now, own) {
      const current = new Map([...last, ...[...now].filter(([worker]) => !left.has(worker))])
      const merged = new Registry(capTenants)
      for (const values of [...current.values(), ended.values()]) merged.merge(values.filter(isOfWorkers))
      merged.merge(own)
      return merged.expose()
    },
  }
}

function isOfWorkers({ name }: MetricValues[number]): boolean {
  return !primaryOnly.has(name)
}
