import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import type { MetricObjectWithValues, MetricValue } from 'prom-client'
import type { Exchange } from '../exchange.ts'
import {
  DURATION_BUCKETS_SECONDS,
  EMIT_BUCKETS_SECONDS,
  type MetricDescription,
  metricTable,
} from './metric-table.ts'
import { Counter, Gauge, Histogram, Registry } from './prometheus.ts'
import { createRequestCounter } from './request-counter.ts'
import { createRouteDurations } from './route-durations.ts'
import { createTenantCap } from './tenant-cap.ts'

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
  const requests = createRequestCounter(definition(metricTable.requests, registry), requestTenant)
  const durations = (row: MetricDescription) =>
    createRouteDurations(definition(row, registry), DURATION_BUCKETS_SECONDS)
  const requestDuration = durations(metricTable.requestDuration)
  const upstreamDuration = durations(metricTable.upstreamDuration)
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
      requests.count(route, exchange.result?.label ?? '', tenantId)
      requestDuration.observe(route, secondsSince(exchange.startedAt))
      if (exchange.upstreamStartedAt !== undefined)
        upstreamDuration.observe(route, secondsSince(exchange.upstreamStartedAt, exchange.upstreamEndedAt))
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

function secondsSince(start: number, end = performance.now()): number {
  return (end - start) / 1000
}
