import { metricTable } from '../metrics/metric-table.ts'
import { createReloadMetrics, type MetricSources, type Metrics } from '../metrics/metrics.ts'
import { type Exposition, isCount, type MetricValues, Registry } from '../metrics/registry.ts'
import { createTenantCap } from '../metrics/tenant-cap.ts'

/** Only the supervisor knows how often all workers were reloaded together. */
const ofSupervisor: ReadonlySet<string> = new Set([
  metricTable.configReloads.name,
  metricTable.configReloaded.name,
  metricTable.configLoadedAt.name,
])

/** The metrics of all workers as those of one gateway. Totals never go down, whichever worker ends. */
export class MergedMetrics<Worker extends object> {
  // Each worker names its own first tenants; merged, they name no more than one gateway does (F15).
  readonly #capTenants = createTenantCap()
  /** The supervisor's own metrics and the counts of ended workers. */
  readonly #own = new Registry(this.#capTenants)
  readonly #restarts = this.#own.counter(metricTable.workerRestarts)
  readonly #memory = this.#own.gauge(metricTable.memory)
  readonly #counts = new Map<Worker, MetricValues>()
  readonly #ended = new WeakSet<Worker>()
  readonly #budgets: MetricSources['budgets']
  readonly #budgetUsed = this.#own.gauge(metricTable.budgetUsed)
  readonly #sessions: MetricSources['sessions']
  readonly #sessionsActive = this.#own.gauge(metricTable.sessions)
  readonly #fallback = this.#own.gauge(metricTable.limitStoreFallback)
  readonly #decidedAlone = this.#own.counter(metricTable.limitsDecidedAlone)
  readonly configReloaded: Metrics['configReloaded'] = createReloadMetrics(this.#own)

  /** The supervisor counts the budgets and the sessions of all workers. */
  constructor({ budgets = () => [], sessions = () => ({}) }: Partial<MetricSources> = {}) {
    this.#budgets = budgets
    this.#sessions = sessions
  }

  limitStoreKept(isKept: boolean): void {
    this.#fallback.set(isKept ? 0 : 1)
  }

  limitsDecidedAlone(): void {
    this.#decidedAlone.inc()
  }

  restarted(): void {
    this.#restarts.inc()
  }

  /** Keeps the latest counts of a worker. */
  counted(worker: Worker, values: MetricValues): void {
    // A worker may end between its answer to a scrape and the merge: its counts are in `#own` by then.
    if (!this.#ended.has(worker)) this.#counts.set(worker, ofWorkers(values).filter(isCount))
  }

  /** The worker has ended; its counts stay. */
  leave(worker: Worker): void {
    this.#own.merge(this.#counts.get(worker) ?? [])
    this.#counts.delete(worker)
    this.#ended.add(worker)
  }

  /** Merges the current values of the workers with the counts of silent and of ended ones. */
  expose(now: ReadonlyMap<Worker, MetricValues>): Exposition {
    const answered = [...now].filter(([worker]) => !this.#ended.has(worker))
    const merged = new Registry(this.#capTenants)
    for (const values of new Map([...this.#counts, ...answered]).values()) merged.merge(ofWorkers(values))
    this.#memory.set(process.memoryUsage.rss())
    this.#budgetUsed.reset()
    for (const { policy, ratio } of this.#budgets()) this.#budgetUsed.set(ratio, policy)
    for (const [listener, count] of Object.entries(this.#sessions()))
      this.#sessionsActive.set(count, listener)
    merged.merge(this.#own.values())
    return merged.expose()
  }
}

function ofWorkers(values: MetricValues): MetricValues {
  return values.filter(({ name }) => !ofSupervisor.has(name))
}
