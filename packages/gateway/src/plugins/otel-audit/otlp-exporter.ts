import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { checkOtlpEndpoint } from '../../config/schema/address-checks.ts'
import { InitialisationError } from '../../errors.ts'
import type { PipelineContext } from '../../plugin.ts'
import {
  type AuditExporter,
  createDeliveryReport,
  FLUSH_LONGEST_MS,
  FLUSH_SILENCE_MS,
} from './audit-exporter.ts'
import { BatchQueue, QUEUE_LIMITS } from './batch-queue.ts'
import { requestSpan, spanBytes } from './request-span.ts'

/**
 * The gRPC connection to a collector, without credentials. A reload keeps the connection to an unchanged address: gRPC
 * never closes a connection that is shut down while it connects.
 */
interface Collector {
  /** Resolves when the spans arrived, rejects when they are lost. No span is sent twice. */
  send(spans: readonly ReadableSpan[]): Promise<void>
  close(): void
}

const MAX_IN_FLIGHT = 4
const EXPORT_TIMEOUT_MS = 5_000
// The registered port of OTLP over gRPC.
const DEFAULT_PORT = 4317

/** Creates the exporter that sends one span per request to a collector. Failed batches are dropped, never repeated. */
export function createOtlpExporter(endpoint: string, { log, metrics, hold }: PipelineContext): AuditExporter {
  const target = otlpTarget(endpoint)
  const { value: collector, release } = hold(target, () => createCollector(target))
  const report = createDeliveryReport({ exporter: 'otlp', metrics, log })
  const queue = new BatchQueue<ReadableSpan>({
    ...QUEUE_LIMITS,
    batchRecords: 256,
    // Collectors refuse messages above 4 MiB by default.
    batchBytes: 2 * 1024 * 1024,
    maxInFlight: MAX_IN_FLIGHT,
    delayMs: 1_000,
    send: collector.send,
    report,
  })
  return {
    name: 'otlp',
    report,
    write(event, exchange) {
      const span = requestSpan(event, exchange)
      queue.add(span, spanBytes(span))
    },
    async close() {
      await queue.close(FLUSH_SILENCE_MS, FLUSH_LONGEST_MS)
      report.close()
      await release()
    },
  }
}

/** The address of the collector for the gRPC library; an unusable endpoint is an `InitialisationError`. */
export function otlpTarget(endpoint: string): string {
  if (endpoint === '') {
    throw new InitialisationError('otel-audit: exporter otlp needs an otlp_endpoint, and it is empty')
  }
  const fault = checkOtlpEndpoint(endpoint)
  if (fault !== undefined) throw new InitialisationError(`otel-audit: otlp_endpoint ${fault}`)
  const { protocol, host, hostname, port } = new URL(endpoint)
  return port !== '' || protocol === 'https:' ? `${protocol}//${host}` : `http://${hostname}:${DEFAULT_PORT}`
}

/** The first batch opens the connection. */
function createCollector(url: string): Collector {
  const client = loadClient(url)
  // Every batch reports a failed load. Before the first batch, nothing would catch it, and it would end the process.
  client.catch(() => undefined)
  return {
    send: async (spans) => exportSpans(await client, spans),
    // Not awaited: a shutdown waits for batches of a silent collector, which are already counted as dropped.
    close: () => void client.then((loaded) => loaded.shutdown()).catch(() => undefined),
  }
}

/** gRPC takes 100 ms to load. Only this exporter loads it, and no request waits for it. */
async function loadClient(url: string): Promise<OTLPTraceExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc')
  // The sender bounds its queue; a second bound would drop queued records.
  const concurrencyLimit = Number.MAX_SAFE_INTEGER
  return new OTLPTraceExporter({ url, concurrencyLimit, timeoutMillis: EXPORT_TIMEOUT_MS })
}

function exportSpans(client: OTLPTraceExporter, spans: readonly ReadableSpan[]): Promise<void> {
  return new Promise((resolve, reject) => {
    client.export([...spans], ({ code, error }) => {
      if (code === 0) resolve()
      else reject(error ?? new Error('the export failed'))
    })
  })
}
