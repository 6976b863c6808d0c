/** A caller: a subject is unique only within its issuer (decision 36). */
export interface Principal {
  readonly subject: string
  /** Absent if no gateway named it, and in rows of older versions. */
  readonly issuer?: string | undefined
}

interface ScopeCaller {
  readonly requester: string
  readonly issuer?: string | undefined
}

/** The caller of a scope. */
export function principalOf({ requester, issuer }: ScopeCaller): Principal {
  return { subject: requester, issuer }
}

/** A caller in a row of the store. */
export function keptPrincipal(subject: string | null, issuer: string | null): Principal {
  return { subject: subject ?? '', issuer: issuer ?? undefined }
}

/** Whether a caller owns something. Without a kept issuer the subject alone decides, as it did when the row was written. */
export function isOwner(kept: Principal, caller: Principal): boolean {
  if (kept.subject !== caller.subject) return false
  return kept.issuer === undefined || kept.issuer === caller.issuer
}

/** Whether two callers may be one person. An unknown issuer may be any. */
export function maybeSame(one: Principal, other: Principal): boolean {
  return isOwner(one, other) || isOwner(other, one)
}
