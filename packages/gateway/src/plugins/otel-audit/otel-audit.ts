import type { AuditEvent } from '@agentic-rest/profile'
import type { OtelAuditOptions } from '../../config/config-schema.ts'
import type { Exchange } from '../../exchange.ts'
import type { PipelineContext, PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { beginEvent, completeEvent, createAttributeMapping, eventTypes, isSuccess } from './audit-event.ts'
import type { AuditExporter } from './audit-exporter.ts'
import { captureBody } from './capture-body.ts'
import { createFileExporter } from './file-exporter.ts'
import { createOtlpExporter } from './otlp-exporter.ts'
import { createStdoutExporter } from './stdout-exporter.ts'

// The admin API shows records of its own in the same form.
export { eventTypes, lastParameter } from './audit-event.ts'

/**
 * Records every request once. The record is created before the request is forwarded and written when its outcome is
 * known (decision 22). Neither success nor failure of the record changes the request.
 */
export function otelAudit(options: OtelAuditOptions, context: PipelineContext): PipelinePlugin {
  const plan = () => planOtelAudit(options)
  if (!options.enabled) return { name: 'otel-audit', request: () => undefined, plan }
  const exporter = createExporter(options, context)
  const recorder = createRecorder(options, exporter, context)
  return {
    name: 'otel-audit',
    request(exchange) {
      recorder.begin(exchange)
      return options.include_request_body ? captureBody(exchange, context.log) : undefined
    },
    response: recorder.complete,
    record: recorder.record,
    seesUnrouted: true,
    plan,
    degraded: () => (exporter.report.failing() ? 'otel-audit drops records' : undefined),
    close: () => exporter.close(),
  }
}

/** Whether requests are recorded, and where. */
export function planOtelAudit({ enabled, exporter }: OtelAuditOptions): PluginPlan {
  return enabled
    ? { runs: true, why: `writes a record to ${exporter === 'file' ? 'a file' : exporter}` }
    : { runs: false, why: 'enabled is false' }
}

function createExporter(options: OtelAuditOptions, context: PipelineContext): AuditExporter {
  switch (options.exporter) {
    case 'stdout':
      return createStdoutExporter(context)
    case 'otlp':
      return createOtlpExporter(options.otlp_endpoint, context)
    case 'file':
      return createFileExporter(options, context)
  }
}

/** Creates and completes records. An error in either drops this one record and counts it. */
function createRecorder(
  options: OtelAuditOptions,
  exporter: AuditExporter,
  { log, clientAddress }: PipelineContext,
) {
  const mapping = createAttributeMapping(options.attributes)
  // Requests without a record because `begin` failed: without this set, `complete` would take them for refused ones.
  const lost = new WeakSet<Exchange>()
  const lose = (exchange: Exchange, error: unknown) => {
    lost.add(exchange)
    log.error('otel-audit failed to record a request', { request_id: exchange.trace.requestId, error })
    exporter.report.dropped(1, error)
  }
  const begin = guarded(lose, (exchange) => {
    exchange.auditEvent = beginEvent(exchange, eventTypes.received, mapping)
  })
  const complete = guarded(lose, (exchange) => {
    if (exchange.auditEvent === undefined && lost.has(exchange)) return
    // Without a record yet, an earlier plugin has ended the request: it refused it, or answered it with success.
    const isRefused = exchange.auditEvent === undefined && !isSuccess(exchange)
    if (isRefused && !options.include_rejected) return
    const eventType = isRefused ? eventTypes.rejected : eventTypes.received
    exchange.auditEvent = completeEvent(
      exchange.auditEvent ?? beginEvent(exchange, eventType, mapping),
      exchange,
      clientAddress,
    )
    exporter.write(exchange.auditEvent, exchange)
  })
  const record = (event: AuditEvent, exchange: Exchange) =>
    guarded(lose, () => exporter.write(event, exchange))(exchange)
  return { begin, complete, record }
}

type Step = (exchange: Exchange) => void

function guarded(onError: (exchange: Exchange, error: unknown) => void, step: Step): Step {
  return function auditStep(exchange) {
    try {
      step(exchange)
    } catch (error) {
      onError(exchange, error)
    }
  }
}
