import { parseJson } from '@agentic-rest/client'
import { urlOf } from '../parts.ts'

/** The fields of a record that the tour shows. */
export interface JoinedRecord {
  readonly part: string
  readonly timestamp: string
  readonly event_type: string
  readonly operation: string
  readonly tenant_id: string
  readonly actor_id: string
  readonly outcome: string
  readonly attributes?: { readonly outcome_label?: string; readonly outcome_type?: string }
}

const TIMEOUT_MS = 5_000

/** Gets the records of all parts with one correlation id from the stack, by time. */
export async function joinRecords(portBase: number, correlationId: string): Promise<readonly JoinedRecord[]> {
  const query = new URLSearchParams({ correlation_id: correlationId })
  const url = `${urlOf('console', portBase)}/api/records?${query}`
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const { records } = Object(parseJson(await response.text()).value) as { records?: readonly JoinedRecord[] }
  return records ?? []
}

const head = ['time', 'part', 'event_type', 'operation', 'actor and tenant', 'outcome']

/** The records as lines of a table with a heading. */
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
  const { timestamp, part, event_type, operation, actor_id, tenant_id, outcome, attributes } = record
  // The profile's `outcome` of a gateway tells less than the type.
  const typed = attributes?.outcome_label ?? attributes?.outcome_type ?? outcome
  const time = timestamp.replace(/^.*T|Z$/g, '')
  return [time, part, event_type, operation, `${actor_id}@${tenant_id}`, typed]
}
