import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'

/** A record of one part, as far as a reader joins it with others. */
export interface JoinedRecord {
  readonly part: string
  readonly timestamp: string
  readonly event_type: string
  readonly operation: string
  readonly tenant_id: string
  readonly actor_id: string
  readonly outcome: string
}

/** Reads the records of all parts and keeps those of one correlation id, in the order of their time. */
export async function joinRecords(auditFolder: string, correlationId: string): Promise<JoinedRecord[]> {
  const files = (await readdir(auditFolder)).filter((name) => name.endsWith('.jsonl'))
  const found = await Promise.all(files.map((name) => recordsIn(join(auditFolder, name), correlationId)))
  return found.flat().toSorted((left, right) => Date.parse(left.timestamp) - Date.parse(right.timestamp))
}

async function recordsIn(file: string, correlationId: string): Promise<JoinedRecord[]> {
  const part = basename(file, '.jsonl')
  const records: JoinedRecord[] = []
  for await (const line of createInterface({ input: createReadStream(file) })) {
    // Most lines are of other exchanges, and the last may be half written.
    if (!line.includes(correlationId) || !line.endsWith('}')) continue
    const record = JSON.parse(line)
    if (record.correlation_id === correlationId) records.push({ ...record, part })
  }
  return records
}

const head = ['time', 'part', 'event_type', 'operation', 'actor and tenant', 'outcome']

/** The records as lines of a table, with a head. */
export function recordTable(records: readonly JoinedRecord[]): string[] {
  const rows = [head, ...records.map(toRow)]
  const widths = head.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

function toRow(record: JoinedRecord): string[] {
  const { timestamp, part, event_type, operation, actor_id, tenant_id, outcome } = record
  const time = timestamp.replace(/^.*T|Z$/g, '')
  return [time, part, event_type, operation, `${actor_id}@${tenant_id}`, outcome]
}
