import { type AdminReading, partRecord } from '@agentic-rest/profile/admin'

type Reading = AdminReading<'Records'>['records'][number]

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
  readonly attributes: Reading['attributes']
  /** The raw record, for display. */
  readonly raw: unknown
}

/** Reads one record. */
export function readRecord(value: unknown): AuditRecord {
  const { part, operation, outcome, timestamp, attributes, ...ids } = partRecord.read(value)
  return {
    part: part || 'unknown',
    eventType: ids.event_type,
    tenantId: ids.tenant_id,
    actorId: ids.actor_id,
    requestId: ids.request_id,
    correlationId: ids.correlation_id,
    operation,
    resourceId: ids.resource_id,
    outcome,
    timestamp,
    attributes,
    raw: value,
  }
}
