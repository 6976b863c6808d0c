import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import {
  Counter,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Exchange } from './exchange.ts'

/** The state of one upstream, read when metrics are scraped. */
export interface UpstreamState {
  readonly name: string
  readonly connections: number
  readonly queued: number
}

/** Metrics as they are scraped. */
export interface Exposition {
  readonly contentType: string
  readonly text: string
}

/** Metrics as values. */
export type MetricValues = readonly MetricObjectWithValues<MetricValue<string>>[]

/** Everything the gateway counts and measures. */
export interface Metrics {
  /** A request is over; `exchange.result` is set. */
  requestFinished(exchange: Exchange): void
  streamOpened(exchange: Exchange): void
  streamClosed(exchange: Exchange): void
  /** Audit records that an exporter wrote (`ok`) or lost (`error`). */
  auditEmitted(exporter: string, outcome: 'ok' | 'error', records: number): void
  /** How long one emit or batch took. */
  auditEmitDuration(exporter: string, seconds: number): void
  /** A body of a type that prompt-sanitize does not look into passed untouched. */
  sanitizeSkipped(route: string): void
  /** A configuration was put in use, or refused, by a reload. */
  configReloaded(result: 'applied' | 'refused'): void
  /** Whether the stream limit of `gateway.shared` is kept across gateways, or by this one alone. */
  sharedLimitKept(isKept: boolean): void
  /** A stream was allowed or refused without the store of `gateway.shared`. */
  streamDecidedAlone(): void
  /** The text exposition format and its media type. */
  expose(): Promise<Exposition>
  /** What is measured, as values that can be added to those of other processes. */
  values(): Promise<MetricValues>
  /** The same without what is only true now: what has to be kept of a process that is gone. */
  counts(): Promise<MetricValues>
  close(): void
}

/** One metric as documentation lists it. */
export interface MetricDescription {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** What the values of several processes make together; their sum unless given. */
  readonly together?: 'sum' | 'first' | 'max'
}

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
    help: 'Time from the head of a request to the end of its answer, upstream included.',
  },
  upstreamDuration: {
    name: 'agentic_upstream_duration_seconds',
    type: 'histogram',
    labels: ['route'],
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
    help: 'Time to write a batch of audit records.',
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
    help: 'Request bodies of a type that prompt-sanitize does not look into.',
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
    help: 'Open connections to an upstream, named by its first route.',
  },
  queued: {
    name: 'agentic_gateway_upstream_queued',
    type: 'gauge',
    labels: ['upstream'],
    help: 'Requests that wait for a connection to an upstream, named by its first route.',
  },
  inFlight: {
    name: 'agentic_gateway_requests_in_flight',
    type: 'gauge',
    labels: [],
    help: 'Requests that are being worked on; open streams do not count.',
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

/** Upper bounds of the request histograms: agents answer in milliseconds or in minutes. */
export const DURATION_BUCKETS_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300,
]
/** Upper bounds of the histogram of audit batches. */
export const EMIT_BUCKETS_SECONDS = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]
/** How many tenants a label names. */
const MAX_TENANT_COUNT = 1000
/** How many series of one metric name a tenant: each tenant can have as many as there are routes and outcomes. */
const MAX_TENANT_SERIES = 1500

/** What is read when metrics are scraped. */
export interface MetricSources {
  readonly version: string
  readonly upstreams: () => readonly UpstreamState[]
  readonly inFlight: () => number
}

/** Makes the metrics of one gateway. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry()
  const tenantsOf = createTenantCap()
  const [requestTenant, activeTenant, errorTenant] = [tenantsOf(), tenantsOf(), tenantsOf()]
  const counter = (row: MetricDescription) => new Counter(definition(row, registry))
  const gauge = (row: MetricDescription) => new Gauge(definition(row, registry))
  const requests = counter(metricTable.requests)
  const requestDuration = histogram(metricTable.requestDuration, registry, DURATION_BUCKETS_SECONDS)
  const upstreamDuration = histogram(metricTable.upstreamDuration, registry, DURATION_BUCKETS_SECONDS)
  const sseActive = gauge(metricTable.sseActive)
  const sseErrors = counter(metricTable.sseErrors)
  const auditEmits = counter(metricTable.auditEmits)
  const auditEmitDuration = histogram(metricTable.auditEmitDuration, registry, EMIT_BUCKETS_SECONDS)
  const violations = counter(metricTable.violations)
  const sanitizeSkipped = counter(metricTable.sanitizeSkipped)
  const configReloaded = createReloadMetrics(registry)
  const sharedLimitFallback = gauge(metricTable.sharedLimitFallback)
  const decidedAlone = counter(metricTable.decidedAlone)
  const refresh = createStateGauges(registry, sources)
  const activeLabels = ({ tenantId = '', route }: Exchange) => {
    const route_id = route?.id ?? ''
    return { tenant_id: activeTenant(tenantId, route_id), route_id }
  }
  return {
    requestFinished(exchange) {
      const route = exchange.route?.id ?? 'unmatched'
      const { tenantId = '', streamError } = exchange
      const outcome = exchange.result?.label ?? ''
      requests.inc({ route, outcome, tenant_id: requestTenant(tenantId, `${route}\n${outcome}`) })
      requestDuration.observe({ route }, secondsSince(exchange.startedAt))
      if (exchange.upstreamStartedAt !== undefined)
        upstreamDuration.observe(
          { route },
          secondsSince(exchange.upstreamStartedAt, exchange.upstreamEndedAt),
        )
      if (streamError !== undefined) {
        const tenant_id = errorTenant(tenantId, `${route}\n${streamError}`)
        sseErrors.inc({ tenant_id, route_id: route, error_kind: streamError })
      }
      for (const rule of exchange.violations) violations.inc({ route, rule })
    },
    streamOpened: (exchange) => sseActive.inc(activeLabels(exchange)),
    streamClosed: (exchange) => sseActive.dec(activeLabels(exchange)),
    auditEmitted: (exporter, outcome, records) => auditEmits.inc({ exporter, outcome }, records),
    auditEmitDuration: (exporter, seconds) => auditEmitDuration.observe({ exporter }, seconds),
    sanitizeSkipped: (route) => sanitizeSkipped.inc({ route }),
    configReloaded,
    sharedLimitKept: (isKept) => sharedLimitFallback.set(isKept ? 0 : 1),
    streamDecidedAlone: () => decidedAlone.inc(),
    async expose() {
      refresh.update()
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
    values() {
      refresh.update()
      return valuesOf(registry)
    },
    counts: async () => (await valuesOf(registry)).filter(isCount),
    close: refresh.close,
  }
}

/** What a registry holds, as values. */
export function valuesOf(registry: Registry): Promise<MetricValues> {
  return registry.getMetricsAsJSON() as Promise<MetricValues>
}

/** Counters and histograms only ever grow; a gauge says nothing about a process that is gone. */
export function isCount({ type }: MetricValues[number]): boolean {
  // prom-client's type says a number, and its values are the names.
  return String(type) !== 'gauge'
}

/** The metrics of reloads, in a registry. */
export function createReloadMetrics(registry: Registry): Metrics['configReloaded'] {
  const reloads = new Counter(definition(metricTable.configReloads, registry))
  const successful = new Gauge(definition(metricTable.configReloaded, registry))
  const loadedAt = new Gauge(definition(metricTable.configLoadedAt, registry))
  // Series that are there from the start, so that the first refusal is an increase.
  for (const result of ['applied', 'refused']) reloads.inc({ result }, 0)
  successful.set(1)
  loadedAt.setToCurrentTime()
  return (result) => {
    reloads.inc({ result })
    successful.set(result === 'applied' ? 1 : 0)
    if (result === 'applied') loadedAt.setToCurrentTime()
  }
}

/** Gauges that are read at the scrape and cost nothing in between. */
function createStateGauges(registry: Registry, sources: MetricSources): { update(): void; close(): void } {
  const gauge = (row: MetricDescription) => new Gauge(definition(row, registry))
  const build = gauge(metricTable.build)
  const connections = gauge(metricTable.connections)
  const queued = gauge(metricTable.queued)
  const inFlight = gauge(metricTable.inFlight)
  const loopDelay = gauge(metricTable.loopDelay)
  const memory = gauge(metricTable.memory)
  gauge(metricTable.workers).set(1)
  // Whoever restarts workers counts; the series is there from the start, so that the first one is an increase.
  new Counter(definition(metricTable.workerRestarts, registry)).inc(0)
  build.set({ version: sources.version, profile: PROFILE_VERSION, node: process.version }, 1)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    close: () => void delay.disable(),
    update() {
      // A reload may have taken an upstream away; another of its name may stand for it while old requests end.
      connections.reset()
      queued.reset()
      for (const upstream of sources.upstreams()) {
        connections.inc({ upstream: upstream.name }, upstream.connections)
        queued.inc({ upstream: upstream.name }, upstream.queued)
      }
      inFlight.set(sources.inFlight())
      for (const percentile of [50, 99])
        loopDelay.set({ percentile: String(percentile) }, delay.percentile(percentile) / 1e9)
      delay.reset()
      memory.set(process.memoryUsage.rss())
    },
  }
}

/** What prom-client makes a metric from. */
export function definition({ name, help, labels, together = 'sum' }: MetricDescription, registry: Registry) {
  return { name, help, labelNames: [...labels], registers: [registry], aggregator: together }
}

function histogram(row: MetricDescription, registry: Registry, buckets: number[]): Histogram {
  return new Histogram({ ...definition(row, registry), buckets })
}

/** Gives the tenant label of a series whose other labels are those given: the tenant, or `other`. */
export type TenantLabel = (tenant: string, otherLabels: string) => string

/**
 * Keeps the tenant label from growing without bound: beyond so many tenants of a gateway, or so many series of one of
 * its metrics, what is new is `other` (F15). What was named once is named always, so that a gauge goes down where it went up.
 */
export function createTenantCap(): () => TenantLabel {
  const tenants = new Set<string>()
  return function capMetric() {
    const series = new Set<string>()
    return function labelTenant(tenant, otherLabels) {
      // No tenant is not a tenant.
      if (tenant === '') return tenant
      const key = `${tenant}\n${otherLabels}`
      if (series.has(key)) return tenant
      const hasRoom = tenants.has(tenant) || tenants.size < MAX_TENANT_COUNT
      if (!hasRoom || series.size >= MAX_TENANT_SERIES) return 'other'
      tenants.add(tenant)
      series.add(key)
      return tenant
    }
  }
}

function secondsSince(start: number, end = performance.now()): number {
  return (end - start) / 1000
}
