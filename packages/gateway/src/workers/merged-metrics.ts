import { AggregatorRegistry, type Registry } from 'prom-client'
import {
  createLabelCap,
  type Exposition,
  MAX_TENANT_COUNT,
  type MetricValues,
  metricTable,
  valuesOf,
} from '../metrics.ts'

/** The metrics of all workers as those of one gateway. */
export interface MergedMetrics<Worker> {
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
export function createMergedMetrics<Worker>(): MergedMetrics<Worker> {
  const last = new Map<Worker, MetricValues>()
  const tenants = createLabelCap(MAX_TENANT_COUNT)
  let gone: MetricValues = []
  const ofWorker = (values: MetricValues) => capTenants(values, tenants)
  return {
    counted: (worker, counts) => void last.set(worker, counts),
    async leave(worker) {
      const counts = last.get(worker)
      last.delete(worker)
      // Added up at once, so that a worker that keeps dying leaves no more behind than one does.
      if (counts !== undefined) gone = await add([gone, ofWorker(counts)])
    },
    async expose(now, own) {
      const current = new Map([...last, ...now])
      const parts = [...current.values()].map(ofWorker).map(withoutPrimaryOnly)
      const registry = registryOf([...parts, withoutPrimaryOnly(gone), own])
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
  return AggregatorRegistry.aggregate(parts.map((values) => [...values]))
}

/** Each worker names its own first tenants; all of them together name no more than one gateway does (F15). */
function capTenants(values: MetricValues, cap: (tenant: string) => string): MetricValues {
  return values.map((metric) => ({
    ...metric,
    values: metric.values.map((value) => {
      const { tenant_id: tenant } = value.labels
      return tenant === undefined
        ? value
        : { ...value, labels: { ...value.labels, tenant_id: cap(String(tenant)) } }
    }),
  }))
}
