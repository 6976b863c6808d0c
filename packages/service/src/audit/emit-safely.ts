import type { AuditEmitter, AuditEvent } from '@agentic-rest/profile'
import type { Log } from '../log.ts'

/** Hands a record to the emitter. Whatever the emitter does, the request goes on and is not held up. */
export function emitSafely(emitter: AuditEmitter, event: AuditEvent, log: Log): void {
  const lost = (cause: unknown) =>
    log.warn('an audit record was lost', { event_type: event.event_type, cause })
  try {
    Promise.resolve(emitter.emit(event)).catch(lost)
  } catch (cause) {
    lost(cause)
  }
}
