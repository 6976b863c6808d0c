import { metricTable } from '../metrics/metric-table.ts'
import { createReloadMetrics, type Metrics } from '../metrics/metrics.ts'
import { type Exposition, isCount, type MetricValues, Registry } from '../metrics/registry.ts'
import type { Member } from './member.ts'
import { createMergedMetrics } from './merged-metrics.ts'

/** The metrics of a gateway with workers. */
export interface PrimaryMetrics extends Pick<Metrics, 'configReloaded'> {
  /** What a worker counted last. */
  counted(member: Member, counts: MetricValues): void
  /** A worker is gone; what it counted stays. */
  leave(member: Member): void
  restarted(): void
  /** Those of all workers, with what the primary knows itself. */
  expose(now: ReadonlyMap<Member, MetricValues>): Exposition
}

/** Makes them. */
export function createPrimaryMetrics(): PrimaryMetrics {
  const merged = createMergedMetrics<Member>()
  const registry = new Registry()
  const configReloaded = createReloadMetrics(registry)
  const restarts = registry.counter(metricTable.workerRestarts)
  const memory = registry.gauge(metricTable.memory)
  return {
    configReloaded,
    counted: merged.counted,
    leave: merged.leave,
    restarted: () => restarts.inc(),
    expose(now) {
      for (const [member, values] of now) merged.counted(member, values.filter(isCount))
      memory.set(process.memoryUsage.rss())
      return merged.expose(now, registry.values())
    },
  }
}
