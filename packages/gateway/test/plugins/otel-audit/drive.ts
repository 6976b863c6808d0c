import type { OtelAuditOptions } from '../../../src/config/config-schema.ts'
import type { Exchange, ExchangeResult } from '../../../src/exchange.ts'
import type { Metrics } from '../../../src/metrics/metrics.ts'
import type { PipelinePlugin } from '../../../src/plugin.ts'
import { makeContext, makeExchange, makeIdentity } from '../make-exchange.ts'

/** The options of an empty `otel-audit` section. */
export function auditOptions(overrides: Partial<OtelAuditOptions> = {}): OtelAuditOptions {
  return {
    enabled: true,
    exporter: 'stdout',
    otlp_endpoint: '',
    include_request_body: false,
    include_rejected: false,
    attributes: [],
    rotate: { max_bytes: 104_857_600, daily: true },
    ...overrides,
  }
}

/** A finished record, with the attributes of a test. */
export function auditRecord<Attributes extends Record<string, string>>(attributes: Attributes) {
  return {
    event_type: 'agentic.request.received',
    tenant_id: 'acme',
    actor_id: 'alice',
    request_id: 'r-1',
    correlation_id: 'c-1',
    operation: 'create-optimization',
    resource_id: 'c-1',
    outcome: 'success',
    timestamp: '2026-01-01T00:00:00.000Z',
    attributes,
  }
}

/** Metrics that sum the reports of the plugin. */
export interface CountedMetrics extends Metrics {
  readonly ok: () => number
  readonly error: () => number
  readonly exporters: Set<string>
  readonly durations: number[]
}

/** Creates the metrics. */
export function countedMetrics(): CountedMetrics {
  const counts = { ok: 0, error: 0 }
  const exporters = new Set<string>()
  const durations: number[] = []
  return {
    ...makeContext().metrics,
    auditEmitted: (exporter, outcome, records) => {
      exporters.add(exporter)
      counts[outcome] += records
    },
    auditEmitDuration: (_, seconds) => durations.push(seconds),
    ok: () => counts.ok,
    error: () => counts.error,
    exporters,
    durations,
  }
}

/** The result of an exchange with status 201. */
export const created: ExchangeResult = { status: 201, label: 'created', outcomeType: 'created' }

/** A request of alice of acme, in its state before otel-audit. */
export function auditedExchange(overrides: Partial<Exchange> = {}): Exchange {
  return makeExchange({ identity: makeIdentity(), actor: 'alice', tenantId: 'acme', ...overrides })
}

/** Passes an exchange through the plugin like the pipeline, and returns it. */
export async function drive(plugin: PipelinePlugin, exchange = auditedExchange()): Promise<Exchange> {
  await plugin.request(exchange)
  exchange.result ??= created
  plugin.response?.(exchange)
  return exchange
}

/** Drives many requests, some per turn of the event loop; true when none had to wait. */
export async function driveMany(
  plugin: PipelinePlugin,
  count: number,
  make = auditedExchange,
): Promise<boolean> {
  let atOnce = true
  for (let n = 0; n < count; n += 1) {
    const exchange = make({ trace: { correlationId: `corr-${n}`, requestId: `req-${n}` } })
    const answer = plugin.request(exchange)
    if (answer !== undefined) {
      atOnce = false
      await answer
    }
    exchange.result = created
    plugin.response?.(exchange)
    if (n % 500 === 499) await new Promise((resolve) => setImmediate(resolve))
  }
  return atOnce
}
