import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-grpc'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'

/**
 * The connection to a collector, by gRPC and without credentials. It outlasts a reload that does not change where the
 * collector is: gRPC leaves a connection open for good when it is told to end while it connects.
 */
export interface Collector {
  /** Resolves when the spans have arrived; rejects when they are lost. Nothing is repeated. */
  send(spans: readonly ReadableSpan[]): Promise<void>
  close(): void
}

const EXPORT_TIMEOUT_MS = 5_000

/** Makes the connection to a collector; it is opened with the first batch. */
export function createCollector(url: string): Collector {
  const client = loadClient(url)
  // Every batch reports it; without a batch there is nobody to catch it, and it would end the process.
  client.catch(() => undefined)
  return {
    send: async (spans) => exportSpans(await client, spans),
    // Not awaited: it waits for batches that a silent collector still holds, and those are booked already.
    close: () => void client.then((loaded) => loaded.shutdown()).catch(() => undefined),
  }
}

/** gRPC takes 100 ms to load: only who uses it pays, and not before the first request but beside it. */
async function loadClient(url: string): Promise<OTLPTraceExporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-grpc')
  // Whoever sends has a bound of its own; this one would drop what that one holds.
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
