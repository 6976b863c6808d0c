import { expect, it } from 'vitest'
import { type AuditEvent, noopAuditEmitter } from './audit.ts'

it('records nothing by default, and never fails', () => {
  expect(noopAuditEmitter.emit({} as AuditEvent)).toBeUndefined()
})
