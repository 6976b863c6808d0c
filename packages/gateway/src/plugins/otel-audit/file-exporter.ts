import { hash } from 'node:crypto'
import type { AuditBody } from '@agentic-rest/audit-log'
import type { AuditEvent } from '@agentic-rest/profile'
import type { AuditFileSettings } from '../../audit-log/audit-files.ts'
import type { OtelAuditOptions } from '../../config/config-schema.ts'
import { InitialisationError } from '../../errors.ts'
import type { PipelineContext } from '../../plugin.ts'
import { inOneLine } from './audit-event.ts'
import {
  type AuditExporter,
  createDeliveryReport,
  type DeliveryReport,
  FLUSH_LONGEST_MS,
  FLUSH_SILENCE_MS,
} from './audit-exporter.ts'
import { BatchQueue, QUEUE_LIMITS } from './batch-queue.ts'

interface FileRecord {
  readonly text: string
  readonly body: AuditBody | undefined
}

/** Creates the exporter that appends one line per request to a file. Records that the queue drops are told in the next line. */
export function createFileExporter(options: OtelAuditOptions, context: PipelineContext): AuditExporter {
  const { auditFiles, log, metrics } = context
  const settings = fileSettings(options)
  auditFiles.check(settings)
  const report = createDeliveryReport({ exporter: 'file', metrics, log })
  const losses = createLosses(report)
  const queue = new BatchQueue<FileRecord>({
    ...QUEUE_LIMITS,
    batchRecords: 512,
    batchBytes: 1024 * 1024,
    maxInFlight: 1,
    // A write costs two calls of the system, and one message of a worker.
    delayMs: 10,
    send: (records) => auditFiles.append(settings, { ...batchOf(records), lost: losses.take() }),
    report: losses.report,
  })
  return {
    name: 'file',
    report: losses.report,
    write(event, exchange) {
      const record = fileRecord(event, exchange.requestBodyForAudit)
      queue.add(record, Buffer.byteLength(record.text) + Buffer.byteLength(record.body?.body ?? ''))
    },
    async close() {
      await queue.close(FLUSH_SILENCE_MS, FLUSH_LONGEST_MS)
      report.close()
    },
  }
}

function fileSettings({ file, seal, head_file, rotate, anchor }: OtelAuditOptions): AuditFileSettings {
  if (file === undefined)
    throw new InitialisationError('otel-audit: exporter file needs a file, and there is none')
  return { file, rotate, seal, head_file, anchor }
}

/** Counts records that never came to the file. It counts those of a failed write itself, which have a time. */
function createLosses(report: DeliveryReport) {
  let lost = 0
  return {
    report: {
      ...report,
      dropped(records: number, cause: unknown, seconds?: number) {
        if (seconds === undefined) lost += records
        report.dropped(records, cause, seconds)
      },
    },
    take() {
      const told = lost
      lost = 0
      return told
    },
  }
}

/** Formats a record; the body is beside it, where it can be erased. */
export function fileRecord(event: AuditEvent, body: string | undefined): FileRecord {
  const text = inOneLine(JSON.stringify(event))
  if (body === undefined) return { text, body: undefined }
  const body_sha256 = hash('sha256', body, 'hex')
  return {
    text: `${text.slice(0, -1)},"body_sha256":"${body_sha256}"}`,
    body: { request_id: event.request_id, body_sha256, body },
  }
}

function batchOf(records: readonly FileRecord[]) {
  return { records: records.map(({ text }) => text), bodies: records.flatMap(({ body }) => body ?? []) }
}
