import type { OtelAuditOptions } from '../../config/config-schema.ts'
import type { Exchange } from '../../exchange.ts'
import type { Log } from '../../log.ts'
import type { Plugin, PluginContext, PluginPlan } from '../../plugin.ts'
import { createAttributeMapping } from './attribute-mapping.ts'
import { beginEvent, completeEvent, eventTypes } from './audit-event.ts'
import type { AuditExporter } from './audit-exporter.ts'
import { captureText } from './capture-body.ts'
import { createOtlpExporter } from './otlp-exporter.ts'
import { createStdoutExporter } from './stdout-exporter.ts'

/**
 * Records every request once: the event is made before the request is forwarded and written when its outcome is
 * known (decision 22). It never changes or refuses a request, whatever happens to the record.
 */
export function otelAudit(options: OtelAuditOptions, context: PluginContext): Plugin {
  const plan = () => planOtelAudit(options)
  if (!options.enabled) return { name: 'otel-audit', request: () => undefined, plan }
  const exporter = createExporter(options, context)
  const recorder = createRecorder(options, exporter, context.log)
  return {
    name: 'otel-audit',
    request(exchange) {
      recorder.begin(exchange)
      return options.include_request_body ? captureBody(exchange, context.log) : undefined
    },
    response: recorder.complete,
    plan,
    degraded: () => (exporter.ledger.failing() ? 'otel-audit drops records' : undefined),
    close: () => exporter.close(),
  }
}

/** Whether requests are recorded, and where. */
export function planOtelAudit({ enabled, exporter }: OtelAuditOptions): PluginPlan {
  return enabled
    ? { runs: true, why: `writes a record to ${exporter}` }
    : { runs: false, why: 'enabled is false' }
}

function createExporter(options: OtelAuditOptions, context: PluginContext): AuditExporter {
  switch (options.exporter) {
    case 'stdout':
      return createStdoutExporter(context)
    case 'otlp':
      return createOtlpExporter(options.otlp_endpoint, context)
  }
}

/** Makes and completes records; a fault in either loses that record, is booked, and nothing else. */
function createRecorder(options: OtelAuditOptions, exporter: AuditExporter, log: Log) {
  const mapping = createAttributeMapping(options.attributes)
  // Requests whose record could not even be begun: without this they would look like ones refused earlier.
  const lost = new WeakSet<Exchange>()
  const lose = (exchange: Exchange, error: unknown) => {
    lost.add(exchange)
    log.error('otel-audit failed to record a request', { request_id: exchange.trace.requestId, error })
    exporter.ledger.dropped(1, error)
  }
  const begin = guarded(lose, (exchange) => {
    exchange.auditEvent = beginEvent(exchange, eventTypes.received, mapping)
  })
  const complete = guarded(lose, (exchange) => {
    const refusedEarlier = exchange.auditEvent === undefined
    if (refusedEarlier && (lost.has(exchange) || !options.include_rejected)) return
    const event = exchange.auditEvent ?? beginEvent(exchange, eventTypes.rejected, mapping)
    exchange.auditEvent = completeEvent(event, exchange)
    exporter.write(exchange.auditEvent, exchange)
  })
  return { begin, complete }
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

/** Keeps the beginning of the body, which prompt-sanitize has seen. The request itself keeps all of it. */
function captureBody(exchange: Exchange, log: Log): Promise<undefined> | undefined {
  // What prompt-sanitize could not look into may hold what its rules are there to keep out of records.
  if (exchange.bodyUninspected) return undefined
  if (exchange.body.length() !== 0) return readBody(exchange, log)
  exchange.requestBodyForAudit = ''
  return undefined
}

async function readBody(exchange: Exchange, log: Log): Promise<undefined> {
  try {
    // The gateway's own limit applies inside; above it there is no body, and forwarding answers for that.
    const body = await exchange.body.read(Number.MAX_SAFE_INTEGER)
    if (body !== undefined) exchange.requestBodyForAudit = captureText(body)
  } catch (error) {
    // Most often a client that left: its record goes out without a body.
    log.debug('otel-audit could not read a body', { request_id: exchange.trace.requestId, error })
  }
  return undefined
}
