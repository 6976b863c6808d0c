import { monitorEventLoopDelay } from 'node:perf_hooks'
import { PROFILE_VERSION } from '@agentic-rest/profile'
import { errorCodes, VALIDATION_FAILED } from '../errors.ts'
import type { Exchange } from '../exchange.ts'
import { metricTable } from './metric-table.ts'
import { type Exposition, isCount, type MetricValues, Registry, type Series } from './registry.ts'
import { createTenantCap } from './tenant-cap.ts'

/** The state of one upstream, read when metrics are scraped. */
export interface UpstreamState {
  readonly name: string
  readonly connections: number
  readonly queued: number
}

/** Whether a target of an upstream gets requests. */
export interface TargetUp {
  readonly upstream: string
  readonly target: string
  readonly isUp: boolean
}

/** What a policy decided; `unavailable` without the store that it needs. */
export type LimitResult = 'allowed' | 'refused' | 'unavailable'

/** The tokens and the cost of a request. */
export interface CountedUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  /** Charged without a report of the upstream. */
  readonly reservedTokens: number
  readonly costMicro: number
}

/** The labels of a request to the endpoint for MCP clients. */
export interface McpFacts {
  readonly method: string
  readonly version: string
  readonly result: string
}

/** Everything the gateway counts and measures. */
export interface Metrics {
  /** Counts a finished request; `exchange.result` is set. */
  requestFinished(exchange: Exchange): void
  /** Counts a request that was refused before it became an exchange. */
  malformedRefused(status: number): void
  streamOpened(exchange: Exchange): void
  streamClosed(exchange: Exchange): void
  /** Counts audit records that an exporter wrote (`ok`) or lost (`error`). */
  auditEmitted(exporter: string, outcome: 'ok' | 'error', records: number): void
  /** Measures one emit or batch. */
  auditEmitDuration(exporter: string, seconds: number): void
  /** Counts a body that prompt-sanitize passed on uninspected because of its type. */
  sanitizeSkipped(route: string): void
  /** Counts the values that a rule of prompt-sanitize replaced in one request. */
  redacted(rule: string, count: number): void
  /** Counts a reload of the configuration. */
  configReloaded(result: 'applied' | 'refused'): void
  /** Says whether the stream limit of `gateway.shared` is kept across gateways, or by this one alone. */
  sharedLimitKept(isKept: boolean): void
  /** Counts a stream that was allowed or refused without the store of `gateway.shared`. */
  streamDecidedAlone(): void
  /** Counts the decision of one policy of `gateway.rate_limits`. */
  limitDecided(policy: string, result: LimitResult): void
  /** Counts the tokens and the cost of a finished request. */
  usageCounted(exchange: Exchange, usage: CountedUsage): void
  /** Says whether `gateway.rate_limits` are kept across gateways, or by this one alone. */
  limitStoreKept(isKept: boolean): void
  /** Counts a request whose limits were decided on without the store of `gateway.shared`. */
  limitsDecidedAlone(): void
  /** Counts a request with an idempotency key, or a key that was dropped. */
  keyJudged(route: string, result: string): void
  /** Makes the counter of the requests that end at a target of an upstream. */
  targetCounter(upstream: string, target: string): (result: string) => void
  /** Counts a target that failed requests took out. */
  targetEjected(upstream: string, target: string): void
  /** Counts a request to the endpoint for MCP clients. */
  mcpAnswered(facts: McpFacts): void
  /** The answer to a scrape. */
  expose(): Exposition
  /** All values, to be merged with those of other processes. */
  values(): MetricValues
  /** The values that remain valid after the process has ended. */
  counts(): MetricValues
  close(): void
}

/** The state that a scrape reads. */
export interface MetricSources {
  readonly version: string
  readonly upstreams: () => readonly UpstreamState[]
  readonly targets: () => readonly TargetUp[]
  readonly load: { readonly inFlight: number; readonly bufferedBytes: number }
  /** The stream limit of a tenant, and whether it holds for all gateways of a store or for this one. */
  readonly streamLimit: () => { readonly limit: number; readonly scope: 'local' | 'shared' }
  /** The highest use of each budget. */
  readonly budgets: () => readonly { readonly policy: string; readonly ratio: number }[]
  /** The questions to MCP clients that wait for an answer. */
  readonly elicitations: () => number
  /** The signed-in browsers by listener. */
  readonly sessions: () => Readonly<Record<string, number>>
}

/** Makes the metrics of one gateway. */
export function createMetrics(sources: MetricSources): Metrics {
  const registry = new Registry(createTenantCap())
  const requests = registry.counter(metricTable.requests)
  const requestDuration = registry.histogram(metricTable.requestDuration)
  const upstreamDuration = registry.histogram(metricTable.upstreamDuration)
  const sseActive = registry.gauge(metricTable.sseActive)
  const sseErrors = registry.counter(metricTable.sseErrors)
  const auditEmits = registry.counter(metricTable.auditEmits)
  const auditEmitDuration = registry.histogram(metricTable.auditEmitDuration)
  const errors = registry.counter(metricTable.errors)
  const malformed = registry.counter(metricTable.malformed)
  const violations = registry.counter(metricTable.violations)
  const idempotency = registry.counter(metricTable.idempotency)
  const sanitizeSkipped = registry.counter(metricTable.sanitizeSkipped)
  const redactions = registry.counter(metricTable.redactions)
  const configReloaded = createReloadMetrics(registry)
  const sharedLimitFallback = registry.gauge(metricTable.sharedLimitFallback)
  const decidedAlone = registry.counter(metricTable.decidedAlone)
  const mcpRequests = registry.counter(metricTable.mcpRequests)
  const stateGauges = createStateGauges(registry, sources)
  const addActive = (amount: number, { tenantId = '', route }: Exchange) =>
    sseActive.add(amount, tenantId, route?.id ?? '')
  return {
    requestFinished(exchange) {
      const route = exchange.route?.id ?? 'unmatched'
      const { tenantId = '', streamError } = exchange
      requests.inc(route, exchange.result?.label ?? '', tenantId)
      requestDuration.observe(secondsSince(exchange.startedAt), route)
      if (exchange.upstreamStartedAt !== undefined)
        upstreamDuration.observe(secondsSince(exchange.upstreamStartedAt, exchange.upstreamEndedAt), route)
      if (streamError !== undefined) sseErrors.inc(tenantId, route, streamError)
      if (exchange.reason !== undefined) errors.inc(route, countedCode(exchange.reason.code))
      for (const rule of exchange.violations) violations.inc(route, rule)
    },
    malformedRefused: (status) => malformed.inc(String(status)),
    streamOpened: (exchange) => addActive(1, exchange),
    streamClosed: (exchange) => addActive(-1, exchange),
    auditEmitted: (exporter, outcome, records) => auditEmits.add(records, exporter, outcome),
    auditEmitDuration: (exporter, seconds) => auditEmitDuration.observe(seconds, exporter),
    sanitizeSkipped: (route) => sanitizeSkipped.inc(route),
    redacted: (rule, count) => redactions.add(count, rule),
    configReloaded,
    keyJudged: (route, result) => idempotency.inc(route, result),
    sharedLimitKept: (isKept) => sharedLimitFallback.set(isKept ? 0 : 1),
    streamDecidedAlone: () => decidedAlone.inc(),
    ...createLimitMetrics(registry),
    ...createTargetMetrics(registry),
    mcpAnswered: ({ method, version, result }) => mcpRequests.inc(method, version, result),
    expose() {
      stateGauges.update()
      return registry.expose()
    },
    values() {
      stateGauges.update()
      return registry.values()
    },
    counts: () => registry.values().filter(isCount),
    close: stateGauges.close,
  }
}

/** Registers the metrics of `gateway.rate_limits`. */
function createLimitMetrics(
  registry: Registry,
): Pick<Metrics, 'limitDecided' | 'usageCounted' | 'limitStoreKept' | 'limitsDecidedAlone'> {
  const decisions = registry.counter(metricTable.limitDecisions)
  const tokens = registry.counter(metricTable.tokens)
  const cost = registry.counter(metricTable.cost)
  const fallback = registry.gauge(metricTable.limitStoreFallback)
  const alone = registry.counter(metricTable.limitsDecidedAlone)
  const decided = new Map<string, Series>()
  return {
    limitDecided(policy, result) {
      const key = `${result} ${policy}`
      let series = decided.get(key)
      if (series === undefined) {
        series = decisions.seriesOf(policy, result)
        decided.set(key, series)
      }
      series.value += 1
    },
    usageCounted({ route, tenantId = '' }, { inputTokens, outputTokens, reservedTokens, costMicro }) {
      const id = route?.id ?? ''
      if (inputTokens > 0) tokens.add(inputTokens, id, tenantId, 'input')
      if (outputTokens > 0) tokens.add(outputTokens, id, tenantId, 'output')
      if (reservedTokens > 0) tokens.add(reservedTokens, id, tenantId, 'reserved')
      if (costMicro > 0) cost.add(costMicro, id, tenantId)
    },
    limitStoreKept: (isKept) => fallback.set(isKept ? 0 : 1),
    limitsDecidedAlone: () => alone.inc(),
  }
}

/** Registers the counts of targets. */
function createTargetMetrics(registry: Registry): Pick<Metrics, 'targetCounter' | 'targetEjected'> {
  const requests = registry.counter(metricTable.targetRequests)
  const ejections = registry.counter(metricTable.targetEjections)
  return {
    targetCounter(upstream, target) {
      const known = new Map<string, Series>()
      return (result) => {
        const series = known.get(result) ?? requests.seriesOf(upstream, target, result)
        known.set(result, series)
        series.value += 1
      }
    },
    targetEjected: (upstream, target) => ejections.inc(upstream, target),
  }
}

/** Registers the metrics of reloads; returns the function that counts one. */
export function createReloadMetrics(registry: Registry): Metrics['configReloaded'] {
  const reloads = registry.counter(metricTable.configReloads)
  const successful = registry.gauge(metricTable.configReloaded)
  const loadedAt = registry.gauge(metricTable.configLoadedAt)
  // Both series exist from the start, so that the first refusal is an increase.
  for (const result of ['applied', 'refused']) reloads.add(0, result)
  successful.set(1)
  loadedAt.set(Date.now() / 1000)
  return (result) => {
    reloads.inc(result)
    successful.set(result === 'applied' ? 1 : 0)
    if (result === 'applied') loadedAt.set(Date.now() / 1000)
  }
}

/** Registers the gauges that are set at a scrape and cost nothing in between. */
function createStateGauges(registry: Registry, sources: MetricSources): { update(): void; close(): void } {
  const build = registry.gauge(metricTable.build)
  const connections = registry.gauge(metricTable.connections)
  const queued = registry.gauge(metricTable.queued)
  const targetUp = registry.gauge(metricTable.targetUp)
  const inFlight = registry.gauge(metricTable.inFlight)
  const buffered = registry.gauge(metricTable.buffered)
  const loopDelay = registry.gauge(metricTable.loopDelay)
  const memory = registry.gauge(metricTable.memory)
  const sseLimit = registry.gauge(metricTable.sseLimit)
  const budgetUsed = registry.gauge(metricTable.budgetUsed)
  const elicitations = registry.gauge(metricTable.mcpElicitations)
  const sessions = registry.gauge(metricTable.sessions)
  registry.gauge(metricTable.workers).set(1)
  // Always 0 here: only the supervisor counts restarts. The series exists, so that the first restart is an increase.
  registry.counter(metricTable.workerRestarts)
  build.set(1, sources.version, PROFILE_VERSION, process.version)
  const delay = monitorEventLoopDelay({ resolution: 20 })
  delay.enable()
  return {
    close: () => void delay.disable(),
    update() {
      // A reload may have removed an upstream; two upstreams share a name while requests to the old one end.
      connections.reset()
      queued.reset()
      for (const upstream of sources.upstreams()) {
        connections.add(upstream.connections, upstream.name)
        queued.add(upstream.queued, upstream.name)
      }
      targetUp.reset()
      for (const { upstream, target, isUp } of sources.targets()) targetUp.set(isUp ? 1 : 0, upstream, target)
      inFlight.set(sources.load.inFlight)
      buffered.set(sources.load.bufferedBytes)
      elicitations.set(sources.elicitations())
      for (const [listener, count] of Object.entries(sources.sessions())) sessions.set(count, listener)
      sseLimit.reset()
      const { limit, scope } = sources.streamLimit()
      sseLimit.set(limit, scope)
      budgetUsed.reset()
      for (const { policy, ratio } of sources.budgets()) budgetUsed.set(ratio, policy)
      for (const percentile of [50, 99]) loopDelay.set(delay.percentile(percentile) / 1e9, String(percentile))
      delay.reset()
      memory.set(process.memoryUsage.rss())
    },
  }
}

/** The codes of custom plugins count as one: a plugin may make up any number of them. */
function countedCode(code: string): string {
  return Object.hasOwn(errorCodes, code) || code === VALIDATION_FAILED ? code : 'CUSTOM'
}

function secondsSince(start: number, end = performance.now()): number {
  return (end - start) / 1000
}
