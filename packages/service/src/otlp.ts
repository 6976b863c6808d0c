import { hash, randomBytes } from 'node:crypto'
import type { AuditEmitter, AuditEvent } from '@agentic-rest/profile'
import { type Attributes, type HrTime, SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api'
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
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

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
  const resource = resourceOf(serviceName)
  return {
    emit(event) {
      // The processor would drop the record silently. The service logs the error thrown here.
      if (waiting >= MAX_WAITING) throw new Error('the queue of audit records is full')
      waiting += 1
      processor.onEnd(spanOf(event, resource))
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

function spanOf(event: AuditEvent, resource: ReadableSpan['resource']): ReadableSpan {
  const spanId = randomBytes(8).toString('hex')
  const at = hrTime(Date.parse(event.timestamp))
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
    events: [],
    ended: true,
    resource,
    instrumentationScope: { name: '@agentic-rest/service' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  }
}

/** The trace id of a correlation id, computed as in the gateway, so that the spans join (decision 23). */
function traceIdOf(correlationId: string): string {
  const digits = UUID.test(correlationId) ? correlationId.replaceAll('-', '').toLowerCase() : ''
  return /[^0]/.test(digits) ? digits : hash('sha256', correlationId, 'hex').slice(0, 32)
}

function attributesOf({ attributes, ...fields }: AuditEvent): Attributes {
  const more = Object.entries(attributes).map(([name, value]) => [`attributes.${name}`, value])
  return { ...fields, ...Object.fromEntries(more) }
}

function isFailure(outcome: string): boolean {
  return outcome === 'error' || outcome === 'failed_dependency'
}

function resourceOf(serviceName: string): ReadableSpan['resource'] {
  const attributes = { 'service.name': serviceName }
  const resource: ReadableSpan['resource'] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  return resource
}

function hrTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1_000_000)]
}
