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

/** Receives audit records. An answer must not depend on it. */
export interface AuditEmitter {
  emit(event: AuditEvent): void | Promise<void>
}

/** The default emitter, which records nothing. */
export const noopAuditEmitter: AuditEmitter = { emit: () => undefined }
