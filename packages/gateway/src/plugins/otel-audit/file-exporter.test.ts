import { hash } from 'node:crypto'
import type { AuditBatch } from '@agentic-rest/audit-log'
import { expect, it } from 'vitest'
import { makeContext, makeExchange } from '../../../test/plugins/make-exchange.ts'
import { auditOptions, auditRecord } from '../../../test/plugins/otel-audit/drive.ts'
import type { AuditFiles } from '../../audit-log/audit-files.ts'
import { QUEUE_LIMITS } from './batch-queue.ts'
import { createFileExporter, fileRecord } from './file-exporter.ts'

const event = auditRecord({})

it('has the hash of a body in the line and the body beside it', () => {
  const body = 'line\u2028break'
  const { text, body: kept } = fileRecord({ ...event, actor_id: 'a\u2028b' }, body)
  const body_sha256 = hash('sha256', body)
  expect(JSON.parse(text)).toEqual({ ...event, actor_id: 'a\u2028b', body_sha256 })
  expect(text).not.toContain('\u2028')
  expect(kept).toEqual({ request_id: 'r-1', body_sha256, body })
  expect(fileRecord(event, undefined)).toEqual({ text: JSON.stringify(event), body: undefined })
})

it('tells with the next batch how many records a full queue has dropped', async () => {
  const batches: AuditBatch[] = []
  const stalled = Promise.withResolvers<void>()
  const auditFiles: AuditFiles = {
    check: () => undefined,
    claim: () => undefined,
    append: async (_settings, batch) => {
      batches.push(batch)
      await stalled.promise
    },
    degraded: () => [],
    close: async () => undefined,
  }
  const context = makeContext({ auditFiles })
  const exporter = createFileExporter(auditOptions({ exporter: 'file', file: '/audit.jsonl' }), context)
  for (let n = 0; n < QUEUE_LIMITS.maxRecords + 7; n += 1) exporter.write(event, makeExchange())
  stalled.resolve()
  await exporter.close()
  await context.close()
  expect(batches.flatMap(({ records }) => records)).toHaveLength(QUEUE_LIMITS.maxRecords)
  expect(batches.map(({ lost }) => lost ?? 0).reduce((sum, lost) => sum + lost, 0)).toBe(7)
})
