import type { Writable } from 'node:stream'
import type { PluginContext } from '../../plugin.ts'
import { type AuditExporter, FLUSH_MS } from './audit-exporter.ts'
import { createBatchQueue, QUEUE_LIMITS } from './batch-queue.ts'
import { createEmitLedger } from './emit-ledger.ts'
import { auditLine } from './log-line.ts'

/**
 * Writes one line per request to stdout. One write is under way at a time, so that a reader that stalls fills our
 * bounded queue and not the stream's own buffer, which has no bound (F10).
 */
export function createStdoutExporter({ stdout, log, metrics }: PluginContext): AuditExporter {
  const ledger = createEmitLedger({ exporter: 'stdout', metrics, log })
  const queue = createBatchQueue<string>({
    ...QUEUE_LIMITS,
    batchRecords: 512,
    batchBytes: 65_536,
    maxInFlight: 1,
    delayMs: 0,
    send: (lines) => writeLines(stdout, lines),
    ledger,
  })
  stdout.on('error', ignoreError)
  return {
    name: 'stdout',
    ledger,
    write(event, exchange) {
      const line = auditLine(event, exchange.requestBodyForAudit)
      queue.add(line, Buffer.byteLength(line))
    },
    async close() {
      const flushed = await queue.close(FLUSH_MS)
      ledger.close()
      // A write that is still under way, or has just failed, may yet raise an error that nobody else listens to.
      if (flushed && !ledger.failing()) stdout.off('error', ignoreError)
    },
  }
}

/** Without a listener the stream's error would end the process; the callback of the write has reported it already. */
function ignoreError(): void {}

function writeLines(stdout: Writable, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(lines.join(''), (error) => {
      if (error) return reject(error)
      // Destroying a stream completes its pending write without an error, though nothing was written.
      return stdout.destroyed ? reject(new Error('stdout is closed')) : resolve()
    })
  })
}
