import { type AuditRecord, readRecord } from '../api/audit-records.ts'

/** The fields of a test record. */
export interface Example {
  readonly part: string
  readonly requestId: string
  /** The time in milliseconds from the start: the arrival for a gateway, the answer for a service. */
  readonly at: number
  readonly outcome: string
  readonly operation?: string
  readonly actor?: string
  readonly tenant?: string
  /** Only in records of gateways. */
  readonly took?: number
  readonly resource?: string
  /** Absent in records of older services. */
  readonly status?: number
}

const START_MS = Date.parse('2026-11-15T06:00:00.000Z')

/** The record of a gateway, with the time of arrival and the typed outcome as an attribute. */
export function gatewayRecord({ took = 0, outcome, ...example }: Example): AuditRecord {
  const attributes = { outcome_label: outcome, duration_ms: String(took) }
  return record('agentic.request.received', { ...example, outcome: 'whatever' }, attributes)
}

/** The record of a service, with the time of the answer. */
export function serviceRecord(example: Example): AuditRecord {
  const { status } = example
  return record('agentic.response.written', example, status === undefined ? {} : { status: String(status) })
}

/** The record of an ended background operation. */
export function finishedRecord(example: Example): AuditRecord {
  return record('agentic.operation.finished', example, {})
}

/** The record of something that happened to an approval. */
export function approvalRecord(event: string, verdict?: string): AuditRecord {
  const example = { part: 'campaigns', requestId: 'r-1', at: 5, outcome: 'success' }
  return record(`agentic.approval.${event}`, example, verdict === undefined ? {} : { verdict })
}

function record(eventType: string, example: Example, attributes: object): AuditRecord {
  return readRecord({
    part: example.part,
    event_type: eventType,
    request_id: example.requestId,
    correlation_id: 'c-1',
    tenant_id: example.tenant ?? 'acme',
    actor_id: example.actor ?? 'alice',
    operation: example.operation ?? `op-${example.part}`,
    resource_id: example.resource ?? '',
    outcome: example.outcome,
    timestamp: new Date(START_MS + example.at).toISOString(),
    attributes,
  })
}

/** Agent A calls agent B through a second gateway; the test sets both answers. */
export function agentGraph(inner: string, outer: string): AuditRecord[] {
  return [
    gatewayRecord({ part: 'gateway', requestId: 'r-1', at: 0, took: 100, outcome: outer }),
    gatewayRecord({
      part: 'inventory-gateway',
      requestId: 'r-2',
      at: 20,
      took: 50,
      outcome: inner,
      actor: 'recommendations',
    }),
    serviceRecord({ part: 'inventory', requestId: 'r-2', at: 60, outcome: inner, actor: 'recommendations' }),
    serviceRecord({ part: 'recommendations', requestId: 'r-1', at: 90, outcome: outer }),
  ]
}
