import type { Scope } from './contract.ts'

/** A caller: a subject is unique only within its issuer (decision 36). */
export interface Principal {
  readonly subject: string
  /** Absent if no gateway named it, and in rows of older versions. */
  readonly issuer?: string | null | undefined
}

/** The caller of a scope. */
export function principalOf({ requester, issuer }: Scope): Principal {
  return { subject: requester, issuer }
}

/** Whether a caller owns something. Without a kept issuer the subject alone decides, as it did when the row was written. */
export function isOwner(kept: Principal, caller: Principal): boolean {
  if (kept.subject !== caller.subject) return false
  return isUnknown(kept.issuer) || kept.issuer === caller.issuer
}

/** Whether two callers may be one person. An unknown issuer may be any. */
export function maybeSame(one: Principal, other: Principal): boolean {
  return isOwner(one, other) || isOwner(other, one)
}

function isUnknown(issuer: Principal['issuer']): boolean {
  return issuer === undefined || issuer === null || issuer === ''
}
