import type { Reply } from '../wrong-service.ts'

const text = `# TYPE agentic_requests_total counter
agentic_requests_total{route="orders",outcome="created",tenant_id="acme"} 3
# TYPE agentic_request_duration_seconds histogram
agentic_request_duration_seconds_count{route="orders"} 3
# TYPE agentic_upstream_duration_seconds histogram
agentic_upstream_duration_seconds_count{route="orders"} 3
# TYPE agentic_gateway_sse_connections_active gauge
agentic_gateway_sse_connections_active{tenant_id="acme",route_id="limited"} 0
`

/** Metrics as a scraper gets them. */
export function metricsText(): Reply {
  return { status: 200, headers: { 'content-type': 'text/plain; version=0.0.4' }, body: text }
}
