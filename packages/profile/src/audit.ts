/** One audit record; attribute and field names are the same on every exporter. */
export interface AuditEvent {
  readonly event_type: string
  readonly tenant_id: string
  readonly actor_id: string
  readonly request_id: string
  readonly correlation_id: string
  /** The route or operation id, for example a method and a path template. */
  readonly operation: string
  readonly resource_id: string
  readonly outcome: string
  /** RFC 3339, UTC. */
  readonly timestamp: string
  /** Free-form business detail; never a secret, never personal data. */
  readonly attributes: Readonly<Record<string, string>>
}

/** Takes audit records. It has one operation and must not be relied on for an answer. */
export interface AuditEmitter {
  emit(event: AuditEvent): void | Promise<void>
}

/** The default: nothing is recorded unless an emitter is configured. */
export const noopAuditEmitter: AuditEmitter = { emit: () => undefined }
