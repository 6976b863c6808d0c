import type { MetricDescription } from './registry.ts'

/** Upper bounds of the request histograms: agents answer in milliseconds or in minutes. */
const DURATION_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]
const EMIT_BUCKETS_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

/** Every metric of the gateway; `docs/metrics.md` is generated from this table. */
export const metricTable = {
  requests: {
    name: 'agentic_requests_total',
    type: 'counter',
    labels: ['route', 'outcome', 'tenant_id'],
    help: 'Requests by route, outcome and tenant.',
  },
  requestDuration: {
    name: 'agentic_request_duration_seconds',
    type: 'histogram',
    labels: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    help: 'Time from the head of a request to the end of its answer, upstream included.',
  },
  upstreamDuration: {
    name: 'agentic_upstream_duration_seconds',
    type: 'histogram',
    labels: ['route'],
    buckets: DURATION_BUCKETS_SECONDS,
    help: 'Time the upstream took, to the end of its answer.',
  },
  sseActive: {
    name: 'agentic_gateway_sse_connections_active',
    type: 'gauge',
    labels: ['tenant_id', 'route_id'],
    help: 'Streams that hold a slot.',
  },
  sseErrors: {
    name: 'agentic_gateway_sse_errors_total',
    type: 'counter',
    labels: ['tenant_id', 'route_id', 'error_kind'],
    help: 'Streams that failed, by kind: client_disconnect, upstream_error, timeout, limit_exceeded.',
  },
  auditEmits: {
    name: 'agentic_plugin_otelaudit_emit_total',
    type: 'counter',
    labels: ['exporter', 'outcome'],
    help: 'Audit records that were written (ok) or lost (error).',
  },
  auditEmitDuration: {
    name: 'agentic_plugin_otelaudit_emit_duration_seconds',
    type: 'histogram',
    labels: ['exporter'],
    buckets: EMIT_BUCKETS_SECONDS,
    help: 'Time to write a batch of audit records.',
  },
  errors: {
    name: 'agentic_gateway_errors_total',
    type: 'counter',
    labels: ['route', 'code'],
    help: 'Errors that the gateway answered with itself, by code; the codes of custom plugins count as CUSTOM.',
  },
  malformed: {
    name: 'agentic_gateway_malformed_requests_total',
    type: 'counter',
    labels: ['status'],
    help: 'Requests that were refused with a bare status, because they are not valid HTTP, too large or too slow.',
  },
  violations: {
    name: 'agentic_profile_violations_total',
    type: 'counter',
    labels: ['route', 'rule'],
    help: 'Rules of the profile that upstream answers broke.',
  },
  sanitizeSkipped: {
    name: 'agentic_plugin_promptsanitize_skipped_total',
    type: 'counter',
    labels: ['route'],
    help: 'Request bodies of other types that prompt-sanitize passed without a search.',
  },
  configReloads: {
    name: 'agentic_config_reloads_total',
    type: 'counter',
    labels: ['result'],
    help: 'Reloads of the configuration, by result: applied, refused.',
  },
  configReloaded: {
    name: 'agentic_config_last_reload_successful',
    type: 'gauge',
    labels: [],
    help: '1 while the file that was read last is the configuration in use, 0 after a refused reload.',
  },
  configLoadedAt: {
    name: 'agentic_config_last_reload_success_timestamp_seconds',
    type: 'gauge',
    labels: [],
    help: 'When the configuration in use was loaded, at the start or by a reload.',
  },
  sharedLimitFallback: {
    name: 'agentic_gateway_shared_limit_fallback',
    type: 'gauge',
    labels: [],
    together: 'max',
    help: '1 while the store of gateway.shared is out of reach and this gateway keeps the stream limit for itself.',
  },
  decidedAlone: {
    name: 'agentic_gateway_shared_limit_local_decisions_total',
    type: 'counter',
    labels: [],
    help: 'Streams that were decided on without the store of gateway.shared.',
  },
  limitDecisions: {
    name: 'agentic_limit_decisions_total',
    type: 'counter',
    labels: ['policy', 'result'],
    help: 'Requests that policies of gateway.rate_limits counted, by result: allowed, refused, unavailable.',
  },
  tokens: {
    name: 'agentic_tokens_total',
    type: 'counter',
    labels: ['route', 'tenant_id', 'kind'],
    help: 'Tokens of routes with a budget, by kind: input and output as reported, reserved where nothing was reported.',
  },
  cost: {
    name: 'agentic_cost_micro_total',
    type: 'counter',
    labels: ['route', 'tenant_id'],
    help: 'Cost of routes with a budget by gateway.prices, in millionths.',
  },
  budgetUsed: {
    name: 'agentic_budget_used_ratio',
    type: 'gauge',
    labels: ['policy'],
    together: 'max',
    help: 'The used part of a budget, of the tenant that has used the most of it.',
  },
  limitStoreFallback: {
    name: 'agentic_limit_store_fallback',
    type: 'gauge',
    labels: [],
    together: 'max',
    help: '1 while the store of gateway.shared is out of reach and this gateway keeps gateway.rate_limits for itself.',
  },
  limitsDecidedAlone: {
    name: 'agentic_limit_local_decisions_total',
    type: 'counter',
    labels: [],
    help: 'Requests whose limits were decided on without the store of gateway.shared.',
  },
  build: {
    name: 'agentic_build_info',
    type: 'gauge',
    labels: ['version', 'profile', 'node'],
    help: 'Always 1; the labels say what is running.',
    together: 'first',
  },
  connections: {
    name: 'agentic_gateway_upstream_connections',
    type: 'gauge',
    labels: ['upstream'],
    help: 'Open connections to an upstream, named by its key in upstreams or its first route.',
  },
  queued: {
    name: 'agentic_gateway_upstream_queued',
    type: 'gauge',
    labels: ['upstream'],
    help: 'Requests that wait for a connection to an upstream, named by its key in upstreams or its first route.',
  },
  targetUp: {
    name: 'agentic_upstream_target_up',
    type: 'gauge',
    labels: ['upstream', 'target'],
    together: 'min',
    help: '1 while a target of an upstream gets requests, 0 while it is out; of several workers the lowest.',
  },
  targetRequests: {
    name: 'agentic_upstream_target_requests_total',
    type: 'counter',
    labels: ['upstream', 'target', 'result'],
    help: 'Requests that ended at a target, by result: answered, server_error, unavailable, timeout, cancelled.',
  },
  targetEjections: {
    name: 'agentic_upstream_target_ejections_total',
    type: 'counter',
    labels: ['upstream', 'target'],
    help: 'How often failed requests took a target out.',
  },
  inFlight: {
    name: 'agentic_gateway_requests_in_flight',
    type: 'gauge',
    labels: [],
    help: 'Requests that are being worked on; open streams and waits for unknown keys do not count.',
  },
  buffered: {
    name: 'agentic_gateway_buffered_bytes',
    type: 'gauge',
    labels: [],
    help: 'Bytes of request bodies, and of answers under check, that are held in memory.',
  },
  loopDelay: {
    name: 'agentic_gateway_event_loop_delay_seconds',
    type: 'gauge',
    // `quantile` is reserved for summaries.
    labels: ['percentile'],
    help: 'How late the event loop ran since the last scrape; of several workers the latest.',
    together: 'max',
  },
  workers: {
    name: 'agentic_gateway_workers',
    type: 'gauge',
    labels: [],
    help: 'Processes that take requests: 1, or as many as run of gateway.workers.',
  },
  workerRestarts: {
    name: 'agentic_gateway_worker_restarts_total',
    type: 'counter',
    labels: [],
    help: 'Workers that ended by themselves and were replaced.',
  },
  memory: {
    name: 'agentic_gateway_resident_memory_bytes',
    type: 'gauge',
    labels: [],
    help: 'Resident memory of the process, or of all of them with gateway.workers.',
  },
} as const satisfies Record<string, MetricDescription>
