import { type AuditEmitter, type AuditEvent, type Outcome, statusOf, type Trace } from '@agentic-rest/profile'
import type { Log } from '../log.ts'
import type { AuditDetail, RequestAudit } from '../run-context.ts'

/** The event types of the service itself. */
export const eventTypes = {
  /** A request was answered. */
  written: 'agentic.response.written',
  /** A background run ended. It may be written twice if a worker lost its lease at the end. */
  finished: 'agentic.operation.finished',
  /** An approval was requested, decided by somebody, used, has expired or was withdrawn. */
  approvalRequested: 'agentic.approval.requested',
  approvalDecided: 'agentic.approval.decided',
  approvalUsed: 'agentic.approval.used',
  approvalExpired: 'agentic.approval.expired',
  approvalWithdrawn: 'agentic.approval.withdrawn',
} as const

/** The audit record of one request, until it is written. */
export interface RequestRecord {
  /** The interface for the operation. */
  readonly audit: RequestAudit
  /** Writes the record with the status of the outcome and the fields set by the operation. */
  write(eventType: string, outcome: Outcome): void
}

/** The request of a record. */
interface RecordOptions {
  readonly emitter: AuditEmitter
  readonly log: Log
  readonly operation: string
  readonly tenant: string
  readonly actor: string
  readonly subject: string | undefined
  readonly issuer: string | undefined
  readonly trace: Trace
  /** The last path parameter. */
  readonly resourceId: string
}

/** Opens the record of a request. */
export function openRecord(options: RecordOptions): RequestRecord {
  let resourceId = options.resourceId
  const attributes = new Map<string, string>()
  const emit: RequestAudit['emit'] = (event) => {
    emitSafely(options.emitter, eventOf(options, { resource_id: resourceId, ...event }), options.log)
  }
  return {
    audit: {
      set({ resource_id, attributes: more = {} }: AuditDetail) {
        resourceId = resource_id ?? resourceId
        for (const [name, value] of Object.entries(more)) attributes.set(name, String(value))
      },
      emit,
    },
    write(event_type, outcome) {
      // An `error` has one of several statuses, so the type alone does not give the status.
      const own = { ...Object.fromEntries(attributes), status: String(statusOf(outcome)) }
      emit({ event_type, outcome: outcome.type, attributes: own })
    },
  }
}

type OwnFields = Pick<AuditEvent, 'event_type' | 'outcome' | 'resource_id'> & AuditDetail

function eventOf(options: RecordOptions, own: OwnFields): AuditEvent {
  const { operation, tenant, actor, subject, issuer, trace } = options
  return {
    event_type: own.event_type,
    tenant_id: tenant,
    actor_id: actor,
    request_id: trace.requestId,
    correlation_id: trace.correlationId,
    operation,
    resource_id: own.resource_id,
    outcome: own.outcome,
    timestamp: new Date().toISOString(),
    attributes: {
      ...own.attributes,
      // Last, so that neither a claimed actor nor an operation can hide the caller (decision 17).
      ...(subject !== undefined && { token_sub: subject }),
      ...(issuer !== undefined && { issuer }),
    },
  }
}

/** Passes a record to the emitter. A slow or failing emitter does not affect the request. */
function emitSafely(emitter: AuditEmitter, event: AuditEvent, log: Log): void {
  const lost = (cause: unknown) =>
    log.warn('an audit record was lost', { event_type: event.event_type, cause })
  try {
    Promise.resolve(emitter.emit(event)).catch(lost)
  } catch (cause) {
    lost(cause)
  }
}
