import type { AuditEmitter } from '@agentic-rest/profile'

/** Hands every record to each of several emitters; those that are absent are left out. One that fails stops no other. */
export function teeAudit(...emitters: readonly (AuditEmitter | undefined)[]): AuditEmitter {
  const present = emitters.filter((emitter) => emitter !== undefined)
  return {
    async emit(event) {
      const emits = present.map(async (emitter) => emitter.emit(event))
      const settled = await Promise.allSettled(emits)
      const causes = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      if (causes.length > 0) throw new AggregateError(causes, 'not every emitter took the record')
    },
  }
}
