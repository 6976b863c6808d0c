import { randomBytes } from 'node:crypto'
import type { AuditEmitter, AuditEvent } from '@agentic-rest/profile'
import { spanOrigin, spanTime, traceIdOf } from '@agentic-rest/profile/span'
import { type Attributes, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from '@opentelemetry/sdk-trace'
import { type Log, stderrLog } from './log.ts'

/** The options of `otlpAudit`. */
export interface OtlpAuditOptions {
  /** The collector's address for OTLP over gRPC, for example `http://127.0.0.1:4317`. */
  readonly endpoint: string
  /** The `service.name` of the spans; `agentic-service` by default. */
  readonly serviceName?: string
  /** The log for lost batches; stderr by default. */
  readonly log?: Log
}

/** An audit emitter that sends in the background. */
export interface OtlpAudit extends AuditEmitter {
  /** Sends the remaining records. Call it after the service is closed. */
  close(): Promise<void>
}

const SPAN_NAME = 'agentic.response'
const MAX_WAITING = 8_192
const DELAY_MS = 1_000
const EXPORT_TIMEOUT_MS = 5_000

/** Sends one span per audit record to an OTLP collector. Lost records are logged. */
export function otlpAudit(options: OtlpAuditOptions): OtlpAudit {
  const { endpoint, serviceName = 'agentic-service', log = stderrLog() } = options
  assertEndpoint(endpoint)
  let waiting = 0
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: EXPORT_TIMEOUT_MS })
  const processor = new BatchSpanProcessor({
    exporter: observed(exporter, log, (count) => {
      waiting -= count
    }),
    maxQueueSize: MAX_WAITING,
    scheduledDelayMillis: DELAY_MS,
    // Longer than the timeout of the exporter, so that the exporter reports the result of a batch.
    exportTimeoutMillis: 2 * EXPORT_TIMEOUT_MS,
  })
  const origin = spanOrigin(serviceName, '@agentic-rest/service')
  return {
    emit(event) {
      // The processor would drop the record silently. The service logs the error thrown here.
      if (waiting >= MAX_WAITING) throw new Error('the queue of audit records is full')
      waiting += 1
      processor.onEnd(spanOf(event, origin))
    },
    async close() {
      await processor
        .shutdown()
        .catch((cause: unknown) => log.warn('audit records were lost at the end', { cause }))
    },
  }
}

function assertEndpoint(endpoint: string): void {
  const protocol = URL.parse(endpoint)?.protocol
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new TypeError(
      `the endpoint of the collector has to be an absolute http or https URL, not "${endpoint}"`,
    )
  }
}

function observed(exporter: SpanExporter, log: Log, onDone: (count: number) => void): SpanExporter {
  return {
    shutdown: () => exporter.shutdown(),
    export(spans, done) {
      exporter.export(spans, (result) => {
        onDone(spans.length)
        if (result.code !== 0)
          log.warn('audit records were lost', { count: spans.length, cause: result.error })
        done(result)
      })
    },
  }
}

function spanOf(event: AuditEvent, origin: ReturnType<typeof spanOrigin>): ReadableSpan {
  const spanId = randomBytes(8).toString('hex')
  const at = spanTime(Date.parse(event.timestamp))
  return {
    name: SPAN_NAME,
    kind: SpanKind.INTERNAL,
    spanContext: () => ({ traceId: traceIdOf(event.correlation_id), spanId, traceFlags: TraceFlags.SAMPLED }),
    startTime: at,
    endTime: at,
    duration: [0, 0],
    status: { code: isFailure(event.outcome) ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: attributesOf(event),
    links: [],
    ...origin,
  }
}

function attributesOf({ attributes, ...fields }: AuditEvent): Attributes {
  const more = Object.entries(attributes).map(([name, value]) => [`attributes.${name}`, value])
  return { ...fields, ...Object.fromEntries(more) }
}

function isFailure(outcome: string): boolean {
  return outcome === 'error' || outcome === 'failed_dependency'
}
