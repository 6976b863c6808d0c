import { createHmac } from 'node:crypto'
import type { ApprovalState, WrittenApproval, WrittenDecision } from '@agentic-rest/profile/approval'
import type { Viewer } from '../contract.ts'
import { isOwner, keptPrincipal, type Principal } from '../principal.ts'
import { NOW } from '../sql-clock.ts'

/** The states in the table. Older versions know `used` as `redeemed`. */
export type KeptState = Exclude<ApprovalState, 'used'> | 'redeemed'

/** A row of the table of approvals. */
export interface ApprovalRow {
  readonly tenant_id: string
  readonly approval_id: string
  readonly operation: string
  readonly requester: string
  readonly requester_issuer: string | null
  readonly requested_for: string | null
  readonly requested_for_issuer: string | null
  readonly digest: string
  /** Absent in rows of older versions. */
  readonly salt: string | null
  readonly role: string
  readonly by_requester: boolean
  readonly quorum: number
  readonly message: string
  readonly approver: string
  readonly request: WrittenApproval['request']
  readonly correlation_id: string | null
  readonly via: readonly string[]
  readonly state: KeptState
  readonly in_use: boolean
  readonly created_at: Date
  readonly expires_at: Date
  readonly decided_by: string | null
  readonly decided_by_issuer: string | null
  readonly decided_at: Date | null
}

/** A row with its decisions. */
export interface DecidedRow extends ApprovalRow {
  readonly decisions: readonly KeptDecision[]
}

/** A decision in the JSON of a row. */
interface KeptDecision {
  readonly by: string
  readonly issuer: string | null
  readonly verdict: WrittenDecision['verdict']
  readonly comment: string | null
  readonly at: string
}

/** The condition of an open approval: it can still be used. */
export const IS_OPEN = `state IN ('pending', 'approved')`
/** An approval held by a background operation does not expire before the operation ends. */
export const HAS_EXPIRED = `${IS_OPEN} AND held_by IS NULL AND expires_at <= ${NOW}`
/** The current state: an open approval past its time counts as expired, even if the row does not say so yet. */
export const STATE = `CASE WHEN ${HAS_EXPIRED} THEN 'expired' ELSE state END`

/** The columns of an `ApprovalRow`. */
export const COLUMNS = `tenant_id, approval_id, operation, requester, requester_issuer, requested_for,
  requested_for_issuer, digest, salt, role, by_requester, quorum, message, approver, request, correlation_id, via, created_at,
  expires_at, decided_by, decided_by_issuer, decided_at, ${STATE} AS state,
  (held_by IS NOT NULL OR coalesce(reserved_until > ${NOW}, false)) AS in_use`

/** The columns of a `DecidedRow`; the table has to be named `a`. */
export const DECIDED_COLUMNS = `${COLUMNS}, (
  SELECT coalesce(json_agg(json_build_object('by', d.decided_by, 'issuer', d.decided_by_issuer, 'verdict', d.verdict,
    'comment', d.comment, 'at', d.decided_at) ORDER BY d.decided_at, d.decided_by), '[]'::json)
  FROM agentic_approval_decisions AS d WHERE d.tenant_id = a.tenant_id AND d.approval_id = a.approval_id
) AS decisions`

/**
 * The digest that those who decide see. The kept one has no salt, so that the same request finds its approval. With it, a
 * short secret could be found by trial: everything else in the request is shown.
 */
export function shownDigest({ digest, salt }: Pick<ApprovalRow, 'digest' | 'salt'>): string {
  return salt === null ? digest : createHmac('sha256', salt).update(digest).digest('hex')
}

/** The requester of an approval. */
export function requesterOf({ requester, requester_issuer }: ApprovalRow): Principal {
  return keptPrincipal(requester, requester_issuer)
}

/** The person behind the requester; without a subject if there is none. */
export function personBehind({ requested_for, requested_for_issuer }: ApprovalRow): Principal {
  return keptPrincipal(requested_for, requested_for_issuer)
}

/** Whether a caller asked for the approval, as the requester or as the person behind it. */
export function hasAsked(row: ApprovalRow, caller: Principal): boolean {
  return [requesterOf(row), personBehind(row)].some((one) => one.subject !== '' && isOwner(one, caller))
}

/** The text of an approval is for those who asked for it, and for those who may decide it or did (decision 38). */
export function maySee(row: DecidedRow, viewer: Viewer): boolean {
  if (hasAsked(row, viewer) || mayDecideByRole(row, viewer.roles)) return true
  const deciders = [
    keptPrincipal(row.decided_by, row.decided_by_issuer),
    ...row.decisions.map(({ by, issuer }) => keptPrincipal(by, issuer)),
  ]
  return deciders.some((one) => one.subject !== '' && isOwner(one, viewer))
}

/** Whether one of the roles decides the approval. */
export function mayDecideByRole({ role, by_requester }: ApprovalRow, roles: readonly string[]): boolean {
  return !by_requester && roles.includes(role)
}

/** The public view of a row. */
export function viewOf(row: DecidedRow): WrittenApproval {
  return {
    approvalId: row.approval_id,
    state: row.state === 'redeemed' ? 'used' : row.state,
    operation: row.operation,
    message: row.message,
    approver: { name: row.approver },
    role: row.role,
    ...(row.by_requester && { by: 'requester' }),
    requester: row.requester,
    ...(row.requester_issuer !== null && { requesterIssuer: row.requester_issuer }),
    ...(row.requested_for !== null && { requestedFor: row.requested_for }),
    ...(row.requested_for_issuer !== null && { requestedForIssuer: row.requested_for_issuer }),
    request: row.request,
    digest: shownDigest(row),
    quorum: row.quorum,
    decisions: decisionsOf(row),
    via: row.via,
    ...(row.correlation_id !== null && { correlationId: row.correlation_id }),
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.decided_by_issuer !== null && { decidedByIssuer: row.decided_by_issuer }),
    ...(row.decided_at !== null && { decidedAt: row.decided_at.toISOString() }),
  }
}

/** An older version keeps its decision only in the row of the approval, without the time. */
function decisionsOf(row: DecidedRow): readonly WrittenDecision[] {
  if (row.decisions.length === 0 && row.decided_by !== null) {
    const { decided_by, decided_by_issuer } = row
    const verdict = row.state === 'rejected' ? 'rejected' : 'approved'
    return [
      {
        decidedBy: decided_by,
        ...(decided_by_issuer !== null && { decidedByIssuer: decided_by_issuer }),
        verdict,
      },
    ]
  }
  return row.decisions.map(({ by, issuer, verdict, comment, at }) => ({
    decidedBy: by,
    ...(issuer !== null && { decidedByIssuer: issuer }),
    verdict,
    ...(comment !== null && { comment }),
    decidedAt: new Date(at).toISOString(),
  }))
}
