import type { Call, Reply } from '../wrong-service.ts'

/** Counts a request. */
export function countRequest(
  { memory, tenant, does }: Pick<Call, 'memory' | 'tenant' | 'does'>,
  outcome: string,
): void {
  if (does('counts-nothing')) return
  const labels = `route="any",outcome="${does('counts-as-error') ? 'error' : outcome}",tenant_id="${does('counts-for-nobody') ? '' : tenant}"`
  memory.requests.set(labels, (memory.requests.get(labels) ?? 0) + 1)
}

/** The metrics as text. */
export function metricsText({ memory }: Pick<Call, 'memory'>): Reply {
  const counts = memory.requests
  const requests = [...counts].map(([labels, count]) => `agentic_requests_total{${labels}} ${count}\n`)
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const durations = ['request', 'upstream'].map((part) => duration(`agentic_${part}_duration_seconds`, all))
  const text = `# TYPE agentic_requests_total counter
agentic_requests_total{route="any",outcome="success",tenant_id="globex"} 3
${requests.join('')}${durations.join('')}# TYPE agentic_gateway_sse_connections_active gauge
agentic_gateway_sse_connections_active{tenant_id="acme",route_id="limited"} 0
`
  return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: text }
}

function duration(name: string, count: number): string {
  return `# TYPE ${name} histogram
${name}_bucket{route="any",le="+Inf"} ${count}
${name}_sum{route="any"} ${count}
${name}_count{route="any"} ${count}
`
}
