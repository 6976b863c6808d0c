import { inTurn } from '../lifetime/in-turn.ts'
import { metricTable } from '../metrics/metric-table.ts'
import { type Exposition, type MetricValues, valuesOf } from '../metrics/metrics.ts'
import { loadAggregatorRegistry, type Registry } from '../metrics/prometheus.ts'
import { createTenantCap, type TenantLabel } from '../metrics/tenant-cap.ts'

/** The metrics of all workers as those of one gateway. */
export interface MergedMetrics<Worker extends object> {
  /** What a worker counted last. */
  counted(worker: Worker, counts: MetricValues): void
  /** The worker is gone; what it counted stays. */
  leave(worker: Worker): Promise<void>
  /** Adds up: what the workers say now, what those that are gone have counted, and what the primary itself knows. */
  expose(now: ReadonlyMap<Worker, MetricValues>, own: MetricValues): Promise<Exposition>
}

/** Only the primary knows how often all of them were reloaded together. */
const primaryOnly: ReadonlySet<string> = new Set([
  metricTable.configReloads.name,
  metricTable.configReloaded.name,
  metricTable.configLoadedAt.name,
])

/** Makes it. Totals never go down, whichever worker dies. */
export function createMergedMetrics<Worker extends object>(): MergedMetrics<Worker> {
  const last = new Map<Worker, MetricValues>()
  const left = new WeakSet<Worker>()
  const capMetric = createTenantCap()
  const caps = new Map<string, TenantLabel>()
  let gone: readonly MetricValues[] = []
  const ofWorker = (values: MetricValues) =>
    values.map((metric) => {
      const cap = caps.get(metric.name) ?? capMetric()
      caps.set(metric.name, cap)
      return capTenants(metric, cap)
    })
  /** So that a worker that keeps dying leaves no more behind than one does. */
  const addUpGone = inTurn(async () => {
    const parts = gone
    const sum = await add(parts)
    // Others may have left meanwhile.
    gone = [sum, ...gone.slice(parts.length)]
  })
  return {
    counted(worker, counts) {
      // One may die between its answer to a scrape and those of the others: it is among those that are gone by then.
      if (!left.has(worker)) last.set(worker, counts)
    },
    async leave(worker) {
      const counts = last.get(worker)
      last.delete(worker)
      left.add(worker)
      if (counts === undefined) return
      // In the same turn: a scrape that comes now must not miss it.
      gone = [...gone, ofWorker(counts)]
      await addUpGone()
    },
    async expose(now, own) {
      const current = new Map([...last, ...[...now].filter(([worker]) => !left.has(worker))])
      const parts = [...current.values()].map(ofWorker).map(withoutPrimaryOnly)
      const registry = registryOf([...parts, ...gone.map(withoutPrimaryOnly), own])
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}

function withoutPrimaryOnly(values: MetricValues): MetricValues {
  return values.filter(({ name }) => !primaryOnly.has(name))
}

async function add(parts: readonly MetricValues[]): Promise<MetricValues> {
  return await valuesOf(registryOf(parts))
}

function registryOf(parts: readonly MetricValues[]): Registry {
  return loadAggregatorRegistry().aggregate(parts.map((values) => [...values]))
}

/** Each worker names its own first tenants; all of them together name no more than one gateway does (F15). */
function capTenants(metric: MetricValues[number], cap: TenantLabel): MetricValues[number] {
  const values = metric.values.map((value) => {
    const { tenant_id: tenant, ...others } = value.labels
    if (tenant === undefined) return value
    const tenant_id = cap(String(tenant), JSON.stringify(others))
    return { ...value, labels: { ...value.labels, tenant_id } }
  })
  return { ...metric, values }
}
