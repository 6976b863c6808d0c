/** A log or a key that cannot be used. The message names no secret. */
export class AuditLogError extends Error {
  override readonly name = 'AuditLogError'
}
