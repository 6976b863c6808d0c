import { type MetricText, metricText } from '@agentic-rest/profile'
import type { Durable } from './durable.ts'
import type { Log } from './log.ts'
import type { ApprovalChange } from './runtime/approvals/approval-store.ts'
import type { Store } from './runtime/store.ts'

/** The metrics of a service, in the text format of Prometheus. */
export interface ServiceMetrics {
  /** Counts a change of an approval. */
  observe(change: ApprovalChange): void
  readonly streams: StreamCounts
  expose(): Promise<string>
}

/** Counts the streams of a service. */
export interface StreamCounts {
  opened(): void
  closed(): void
  /** Counts an event of an operation. */
  sent(operation: string): void
}

interface MetricsOptions {
  readonly durable: () => Pick<Durable, 'store'>
  readonly log: Log
  /** The ids of the operations with background work or approvals. */
  readonly operations: readonly string[]
}

// From a click to the usual expiry: people decide within seconds, or the next morning.
const BUCKETS = [1, 5, 15, 60, 300, 900, 3_600, 14_400, 43_200, 86_400, Number.POSITIVE_INFINITY]

interface Histogram {
  readonly labels: readonly [operation: string, verdict: string]
  readonly counts: number[]
  value: number
}

/** Creates the metrics of a service. */
export function createMetrics({ durable, log, operations }: MetricsOptions): ServiceMetrics {
  const waits = new Map<string, Histogram>()
  const events = new Map<string, number>()
  let active = 0
  return {
    streams: {
      opened() {
        active += 1
      },
      closed() {
        active -= 1
      },
      sent(operation) {
        events.set(operation, (events.get(operation) ?? 0) + 1)
      },
    },
    observe(change) {
      if (change.type !== 'decided') return
      const labels = [change.row.operation, change.verdict] as const
      const histogram = waits.get(labels.join(' ')) ?? { labels, counts: BUCKETS.map(() => 0), value: 0 }
      waits.set(labels.join(' '), histogram)
      const bucket = BUCKETS.findIndex((limit) => change.waitedSeconds <= limit)
      histogram.counts[bucket] = (histogram.counts[bucket] ?? 0) + 1
      histogram.value += change.waitedSeconds
    },
    async expose() {
      const metrics = [waitMetric([...waits.values()]), ...streamMetrics(active, events)]
      try {
        if (operations.length > 0) metrics.push(...(await stateMetrics(await durable().store(), operations)))
      } catch (cause) {
        log.warn('the metrics lack the counts of the store', { cause })
      }
      return metricText(metrics)
    },
  }
}

function waitMetric(series: readonly Histogram[]): MetricText {
  return {
    name: 'agentic_approval_wait_seconds',
    help: 'The time from the request of an approval to the decision about it.',
    type: 'histogram',
    labels: ['operation', 'verdict'],
    buckets: BUCKETS,
    series,
  }
}

function streamMetrics(active: number, events: ReadonlyMap<string, number>): readonly MetricText[] {
  return [
    {
      name: 'agentic_service_streams_active',
      help: 'The open event streams of this process.',
      type: 'gauge',
      labels: [],
      series: [{ labels: [], value: active }],
    },
    {
      name: 'agentic_service_events_total',
      help: 'The events that streams of this process have sent, without last frames.',
      type: 'counter',
      labels: ['operation'],
      series: [...events].map(([operation, value]) => ({ labels: [operation], value })),
    },
  ]
}

/** The counts of the whole store, not only of this process. */
async function stateMetrics(store: Store, operations: readonly string[]): Promise<readonly MetricText[]> {
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
    {
      name: 'agentic_operations',
      help: 'The background operations in the store, by state.',
      type: 'gauge',
      labels: ['operation', 'state'],
      series: counts.map(({ operation, state, count }) => ({ labels: [operation, state], value: count })),
    },
    {
      name: 'agentic_approvals_oldest_pending_seconds',
      help: 'The age of the oldest approval that waits for a decision; 0 without one.',
      type: 'gauge',
      labels: [],
      series: [{ labels: [], value: Math.max(0, oldest?.seconds ?? 0) }],
    },
  ]
}
