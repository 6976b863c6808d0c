import { isObject, textAt } from '../json-value.ts'
import type { Answered } from './inner-exchange.ts'

/** The facts of an approval that decide how a call goes on. */
export interface ApprovalReading {
  /** `pending`, `approved`, `rejected`, `redeemed`, `expired`; undefined if it could not be read. */
  readonly state: string | undefined
  readonly role: string | undefined
}

/** Reads the answer for an approval. */
export function readApproval({ type, body }: Answered): ApprovalReading {
  if (type !== 'success') return { state: undefined, role: undefined }
  return { state: textAt(body, 'state'), role: textAt(body, 'role') }
}

/** The text for the person: the question, and who decides it. */
export function approvalMessage(body: unknown, role: string | undefined): string {
  const question = textAt(body, 'message') ?? 'The operation needs an approval.'
  const approver = isObject(body) ? textAt(body['approver'], 'name') : undefined
  const decider = role !== undefined ? `Somebody with the role ${role}` : (approver ?? 'Somebody else')
  return `${question} ${decider} has to decide this, and not the person who asked. Open or pass on the link.`
}
