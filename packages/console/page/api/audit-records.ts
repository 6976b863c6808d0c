import { fieldsOf, listOf, textOf } from './read-json.ts'

/** An audit record of the profile, and the part that wrote it. */
export interface AuditRecord {
  readonly part: string
  readonly eventType: string
  readonly tenantId: string
  readonly actorId: string
  readonly requestId: string
  readonly correlationId: string
  readonly operation: string
  readonly resourceId: string
  readonly outcome: string
  readonly timestamp: string
  readonly attributes: ReadonlyMap<string, unknown>
  /** The raw record, for display. */
  readonly raw: unknown
}

/** Reads the answer of `/api/records`. */
export function readRecords(value: unknown): AuditRecord[] {
  return listOf(fieldsOf(value), 'records', readRecord)
}

/** Reads one record. */
export function readRecord(value: unknown): AuditRecord {
  const fields = fieldsOf(value)
  return {
    part: textOf(fields, 'part', 'unknown'),
    eventType: textOf(fields, 'event_type'),
    tenantId: textOf(fields, 'tenant_id'),
    actorId: textOf(fields, 'actor_id'),
    requestId: textOf(fields, 'request_id'),
    correlationId: textOf(fields, 'correlation_id'),
    operation: textOf(fields, 'operation'),
    resourceId: textOf(fields, 'resource_id'),
    outcome: textOf(fields, 'outcome'),
    timestamp: textOf(fields, 'timestamp'),
    attributes: fieldsOf(fields.get('attributes')),
    raw: value,
  }
}
