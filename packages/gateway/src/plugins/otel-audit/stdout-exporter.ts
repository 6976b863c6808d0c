import type { Writable } from 'node:stream'
import type { AuditEvent } from '@agentic-rest/profile'
import type { PipelineContext } from '../../plugin.ts'
import { inOneLine } from './audit-event.ts'
import {
  type AuditExporter,
  createDeliveryReport,
  FLUSH_LONGEST_MS,
  FLUSH_SILENCE_MS,
} from './audit-exporter.ts'
import { BatchQueue, QUEUE_LIMITS } from './batch-queue.ts'

/**
 * Creates the exporter that writes one line per request to stdout. One write is in flight at a time, so that a stalled
 * reader fills our bounded queue and not the buffer of the stream, which has no bound (F10).
 */
export function createStdoutExporter({ stdout, log, metrics }: PipelineContext): AuditExporter {
  const report = createDeliveryReport({ exporter: 'stdout', metrics, log })
  const queue = new BatchQueue<string>({
    ...QUEUE_LIMITS,
    batchRecords: 512,
    batchBytes: 65_536,
    maxInFlight: 1,
    delayMs: 0,
    send: (lines) => writeLines(stdout, lines),
    report,
  })
  stdout.on('error', ignoreError)
  return {
    name: 'stdout',
    report,
    write(event, exchange) {
      const line = auditLine(event, exchange.requestBodyForAudit)
      queue.add(line, Buffer.byteLength(line))
    },
    async close() {
      const flushed = await queue.close(FLUSH_SILENCE_MS, FLUSH_LONGEST_MS)
      report.close()
      // After a failed or unfinished write the stream may still emit an error, and no other listener would catch it.
      if (flushed && !report.failing()) stdout.off('error', ignoreError)
    },
  }
}

/** Without a listener an error of the stream would end the process. The callback of the write reports it. */
function ignoreError(): void {}

function writeLines(stdout: Writable, lines: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(lines.join(''), (error) => {
      if (error) return reject(error)
      // A destroyed stream completes its pending write without an error, though nothing was written.
      return stdout.destroyed ? reject(new Error('stdout is closed')) : resolve()
    })
  })
}

/** Formats a record as one line of JSON, whatever its values contain. */
export function auditLine(event: AuditEvent, requestBody: string | undefined): string {
  // Joined as text: copying the event to add two members would cost as much as formatting it.
  const members = JSON.stringify(event).slice(1, -1)
  const body = requestBody === undefined ? '' : `,"request_body":${JSON.stringify(requestBody)}`
  const line = `{"level":"INFO","msg":"agentic.request",${members}${body}}`
  return `${inOneLine(line)}\n`
}
