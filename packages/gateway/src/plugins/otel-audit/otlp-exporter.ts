import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { PluginContext } from '../../plugin.ts'
import { type AuditExporter, FLUSH_MS } from './audit-exporter.ts'
import { createBatchQueue, QUEUE_LIMITS } from './batch-queue.ts'
import { createEmitLedger } from './emit-ledger.ts'
import { otlpTarget } from './otlp-endpoint.ts'
import { requestSpan, spanBytes } from './request-span.ts'

const MAX_IN_FLIGHT = 4
const EXPORT_TIMEOUT_MS = 5_000

/** Sends one span per request to a collector, by gRPC, without credentials. What fails is dropped, never repeated. */
export function createOtlpExporter(endpoint: string, { log, metrics }: PluginContext): AuditExporter {
  const client = loadClient(otlpTarget(endpoint))
  // Every batch reports it; without a batch there is nobody to catch it, and it would end the process.
  client.catch(() => undefined)
  const ledger = createEmitLedger({ exporter: 'otlp', metrics, log })
  const queue = createBatchQueue<ReadableSpan>({
    ...QUEUE_LIMITS,
    batchRecords: 256,
    // Collectors refuse messages above 4 MiB unless told otherwise.
    batchBytes: 2 * 1024 * 1024,
    maxInFlight: MAX_IN_FLIGHT,
    delayMs: 1_000,
    send: async (spans) => exportSpans(await client, spans),
    ledger,
  })
  return {
    name: 'otlp',
    ledger,
    write(event, exchange) {
      const span = requestSpan(event, exchange)
      queue.add(span, spanBytes(span))
    },
    async close() {
      await queue.close(FLUSH_MS)
      ledger.close()
      // Not awaited: it waits for batches that a silent collector still holds, and those are booked already.
      client.then((loaded) => loaded.shutdown()).catch(() => undefined)
    },
  }
}

/** gRPC takes 100 ms to load: only who uses it pays, and not before the first request but beside it. */
async function loadClient(url: string): Promise<OTLPTraceExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc')
  // The library forgets a finished batch a moment after it has reported it, so its own limit has to be wider.
  const concurrencyLimit = 2 * MAX_IN_FLIGHT
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
