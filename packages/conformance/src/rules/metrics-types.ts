import { answerOf } from '../judge.ts'
import { defineRule, fail, notObserved, pass } from '../rule.ts'

/** Endpoints, 8: the table of metrics. */
export const metricsTypes = defineRule({
  id: 'metrics-types',
  clause: 'metrics.types',
  title: 'Each metric of the profile has its type',
  level: 'must',
  looksAt: ['metrics'],
  gatewayOnly: true,
  check(observation) {
    const answer = answerOf(observation)
    if (!/^# TYPE /m.test(answer.body)) return notObserved('there are no metrics')
    const types = new Map(
      [...answer.body.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name, type]) => [name, type]),
    )
    const wrong = metrics.find(
      ({ name, type, always }) => (types.get(name) ?? (always ? 'absent' : type)) !== type,
    )
    return wrong === undefined
      ? pass
      : fail(`${wrong.name} is a ${wrong.type}`, types.get(wrong.name) ?? 'absent')
  },
})

// Those of streams and of the audit are there when something of the kind is configured.
const metrics = [
  { name: 'agentic_requests_total', type: 'counter', always: true },
  { name: 'agentic_request_duration_seconds', type: 'histogram', always: true },
  { name: 'agentic_upstream_duration_seconds', type: 'histogram', always: true },
  { name: 'agentic_gateway_sse_connections_active', type: 'gauge', always: false },
  { name: 'agentic_gateway_sse_errors_total', type: 'counter', always: false },
  { name: 'agentic_plugin_otelaudit_emit_total', type: 'counter', always: false },
  { name: 'agentic_plugin_otelaudit_emit_duration_seconds', type: 'histogram', always: false },
] as const
