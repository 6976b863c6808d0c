import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import type { PluginContext } from '../../plugin.ts'
import { type AuditExporter, FLUSH_MS } from './audit-exporter.ts'
import { createBatchQueue, QUEUE_LIMITS } from './batch-queue.ts'
import { createCollector } from './collector.ts'
import { createEmitLedger } from './emit-ledger.ts'
import { otlpTarget } from './otlp-endpoint.ts'
import { requestSpan, spanBytes } from './request-span.ts'

const MAX_IN_FLIGHT = 4

/** Sends one span per request to a collector. What fails is dropped, never repeated. */
export function createOtlpExporter(endpoint: string, { log, metrics, hold }: PluginContext): AuditExporter {
  const target = otlpTarget(endpoint)
  const { value: collector, release } = hold(target, () => createCollector(target))
  const ledger = createEmitLedger({ exporter: 'otlp', metrics, log })
  const queue = createBatchQueue<ReadableSpan>({
    ...QUEUE_LIMITS,
    batchRecords: 256,
    // Collectors refuse messages above 4 MiB unless told otherwise.
    batchBytes: 2 * 1024 * 1024,
    maxInFlight: MAX_IN_FLIGHT,
    delayMs: 1_000,
    send: collector.send,
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
      await release()
    },
  }
}
