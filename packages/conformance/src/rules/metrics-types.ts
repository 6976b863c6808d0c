import { answerOf, isFine } from '../judge.ts'
import { type Metrics, readMetrics } from '../observe/observe-metrics.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 8: the table of metrics. */
export const metricsTypes = defineRule({
  id: 'metrics-types',
  clause: 'metrics.types',
  title: 'Each metric of the profile has its type, and values of that type',
  level: 'must',
  looksAt: ['metrics'],
  gatewayOnly: true,
  check(observation) {
    const read = readMetrics(answerOf(observation).body)
    if (read.types.size === 0) return notObserved('there are no metrics')
    const wrong = metrics.find((metric) => typeIn(read, metric) !== metric.type)
    if (wrong !== undefined) return fail(`${wrong.name} is a ${wrong.type}`, typeIn(read, wrong))
    // A successful request was counted and reached an upstream.
    const right = observation.contrast?.answer
    const hasCounted = right !== undefined && isFine(right)
    const fault = metrics
      .map((metric) => valueFault(read, metric, hasCounted))
      .find((text) => text !== undefined)
    return fault === undefined ? pass : fail('values that fit their type', fault)
  },
})

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly always: boolean
}

/** OpenMetrics declares a counter without the suffix `_total`. */
function typeIn({ types }: Metrics, { name, type, always }: Metric): string {
  return types.get(name) ?? types.get(name.replace(/_total$/, '')) ?? (always ? 'absent' : type)
}

function valueFault({ samples }: Metrics, metric: Metric, hasCounted: boolean): string | undefined {
  const parts = metric.type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
  const series = parts.map((part) => samples.filter(({ name }) => name === `${metric.name}${part}`))
  const odd = series.flat().find(({ value }) => !Number.isFinite(value) || value < 0)
  if (odd !== undefined) return `${odd.name} ${odd.value}`
  const empty = series.findIndex((each) => each.length === 0)
  // A metric without series is complete. With one, and after a request, all its parts must exist.
  if (empty === -1 || (series.flat().length === 0 && !(hasCounted && metric.always))) return undefined
  return `no sample ${metric.name}${parts[empty]}`
}

// Metrics of streams and audit exist only if these are configured.
const metrics = [
  { name: 'agentic_requests_total', type: 'counter', always: true },
  { name: 'agentic_request_duration_seconds', type: 'histogram', always: true },
  { name: 'agentic_upstream_duration_seconds', type: 'histogram', always: true },
  { name: 'agentic_gateway_sse_connections_active', type: 'gauge', always: false },
  { name: 'agentic_gateway_sse_errors_total', type: 'counter', always: false },
  { name: 'agentic_plugin_otelaudit_emit_total', type: 'counter', always: false },
  { name: 'agentic_plugin_otelaudit_emit_duration_seconds', type: 'histogram', always: false },
] as const satisfies readonly Metric[]
