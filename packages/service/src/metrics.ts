import type { Durable } from './durable.ts'
import type { Log } from './log.ts'
import type { ApprovalChange } from './runtime/approvals/approval-store.ts'
import type { Store } from './runtime/store.ts'

/** The metrics of a service, in the text format of Prometheus. */
export interface ServiceMetrics {
  /** Counts a change of an approval. */
  observe(change: ApprovalChange): void
  expose(): Promise<string>
}

interface MetricsOptions {
  readonly durable: () => Pick<Durable, 'store'>
  readonly log: Log
  /** The ids of the operations with background work or approvals. */
  readonly operations: readonly string[]
}

// From a click to the usual expiry: people decide within seconds, or the next morning.
const BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400]

interface Histogram {
  readonly counts: number[]
  sum: number
  count: number
}

/** Creates the metrics of a service. */
export function createMetrics({ durable, log, operations }: MetricsOptions): ServiceMetrics {
  const waits = new Map<string, Histogram>()
  return {
    observe(change) {
      if (change.type !== 'decided') return
      const labels = `operation="${change.row.operation}",verdict="${change.verdict}"`
      const histogram = waits.get(labels) ?? { counts: BUCKETS.map(() => 0), sum: 0, count: 0 }
      waits.set(labels, histogram)
      const bucket = BUCKETS.findIndex((limit) => change.waitedSeconds <= limit)
      if (bucket >= 0) histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
      histogram.sum += change.waitedSeconds
      histogram.count += 1
    },
    async expose() {
      const lines = [...waitLines(waits)]
      try {
        if (operations.length > 0) lines.push(...(await stateLines(await durable().store(), operations)))
      } catch (cause) {
        log.warn('the metrics lack the counts of the store', { cause })
      }
      return `${lines.join('\n')}\n`
    },
  }
}

function waitLines(waits: ReadonlyMap<string, Histogram>): readonly string[] {
  const name = 'agentic_approval_wait_seconds'
  const lines = [...waits].flatMap(([labels, { counts, sum, count }]) => {
    let total = 0
    const buckets = BUCKETS.map((limit, index) => {
      total += counts[index] ?? 0
      return `${name}_bucket{${labels},le="${limit}"} ${total}`
    })
    const last = [`${name}_bucket{${labels},le="+Inf"} ${count}`, `${name}_sum{${labels}} ${sum}`]
    return [...buckets, ...last, `${name}_count{${labels}} ${count}`]
  })
  return [
    `# HELP ${name} The time from the request of an approval to the decision about it.`,
    `# TYPE ${name} histogram`,
    ...lines,
  ]
}

/** The counts of the whole store, not only of this process. */
async function stateLines(store: Store, operations: readonly string[]): Promise<readonly string[]> {
  const own = 'operation IN (SELECT json_array_elements_text($1::json))'
  const counts = await store.query<{ operation: string; state: string; count: number }>(
    `SELECT operation, state, count(*)::int AS count FROM agentic_operations WHERE ${own}
     GROUP BY operation, state ORDER BY operation, state`,
    [JSON.stringify(operations)],
  )
  const [oldest] = await store.query<{ seconds: number | null }>(
    `SELECT extract(epoch FROM clock_timestamp() - min(created_at))::float8 AS seconds FROM agentic_approvals
     WHERE state = 'pending' AND expires_at > clock_timestamp() AND ${own}`,
    [JSON.stringify(operations)],
  )
  return [
    '# HELP agentic_operations The background operations in the store, by state.',
    '# TYPE agentic_operations gauge',
    ...counts.map(
      ({ operation, state, count }) =>
        `agentic_operations{operation="${operation}",state="${state}"} ${count}`,
    ),
    '# HELP agentic_approvals_oldest_pending_seconds The age of the oldest approval that waits for a decision; 0 without one.',
    '# TYPE agentic_approvals_oldest_pending_seconds gauge',
    `agentic_approvals_oldest_pending_seconds ${Math.max(0, oldest?.seconds ?? 0)}`,
  ]
}
