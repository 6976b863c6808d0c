import type { Decision, DecisionResult, Viewer, Withdrawal } from '../contract.ts'
import { assertStorable, isStorable } from '../key-text.ts'
import { isOwner, keptPrincipal, maybeSame, type Principal } from '../principal.ts'
import { NOW } from '../sql-clock.ts'
import type { Sql } from '../store.ts'
import type { ApprovalStore } from './approval-store.ts'
import type { ApprovalKey } from './reservation.ts'
import {
  type ApprovalRow,
  COLUMNS,
  hasAsked,
  mayDecideByRole,
  personBehind,
  requesterOf,
  shownDigest,
} from './row.ts'

/**
 * Records a decision and, if it is the last one needed, decides the approval. The row lock makes the decisions of an
 * approval wait for each other, so each of them sees all earlier ones.
 */
export async function decideApproval(
  approvals: ApprovalStore,
  key: ApprovalKey,
  decision: Decision,
): Promise<DecisionResult> {
  assertStorable({ subject: decision.by, issuer: decision.issuer ?? '' })
  if (!isStorable(key.tenantId) || !isStorable(key.approvalId)) return 'unknown'
  return approvals.store.transaction(async (sql) => {
    const row = await lock(approvals, sql, key)
    if (row === undefined) return 'unknown'
    const decider = { subject: decision.by, issuer: decision.issuer }
    const objection = objectionTo(row, decider, decision)
    if (objection !== undefined) return objection
    if (await hasDecided(sql, row, decider)) return 'decided_already'
    if (row.state !== 'pending') return row.state === 'expired' ? 'expired' : 'not_pending'
    await record(approvals, sql, { row, decision })
    return 'decided'
  })
}

/** Locks an approval. Its decisions are read by a later statement: this one may see them as they were before it waited. */
async function lock(
  { clock }: ApprovalStore,
  sql: Sql,
  { tenantId, approvalId }: ApprovalKey,
): Promise<ApprovalRow | undefined> {
  const [row] = await sql.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals WHERE tenant_id = $2 AND approval_id = $3 FOR UPDATE`,
    [clock(), tenantId, approvalId],
  )
  return row
}

/** Neither the requester nor the person behind it may decide, with any role (decision 13). An unknown issuer may be any. */
function objectionTo(
  row: ApprovalRow,
  decider: Principal,
  { roles, digest }: Decision,
): DecisionResult | undefined {
  if (row.by_requester) {
    if (!isOwner(confirmerOf(row), decider)) return 'not_requester'
  } else {
    if (maybeSame(requesterOf(row), decider) || maybeSame(personBehind(row), decider)) return 'own_request'
    if (!mayDecideByRole(row, roles)) return 'role_missing'
  }
  return digest === undefined || digest === shownDigest(row) ? undefined : 'changed'
}

/** The person behind an agent confirms its request, not the agent itself. */
function confirmerOf(row: ApprovalRow): Principal {
  return row.requested_for === null ? requesterOf(row) : personBehind(row)
}

async function hasDecided(sql: Sql, row: ApprovalRow, decider: Principal): Promise<boolean> {
  if (row.decided_by !== null && maybeSame(keptPrincipal(row.decided_by, row.decided_by_issuer), decider))
    return true
  const found = await sql.query(
    `SELECT 1 FROM agentic_approval_decisions WHERE tenant_id = $1 AND approval_id = $2 AND decided_by = $3
     AND (decided_by_issuer IS NULL OR $4::text IS NULL OR decided_by_issuer = $4)`,
    [row.tenant_id, row.approval_id, decider.subject, decider.issuer ?? null],
  )
  return found.length > 0
}

interface Recorded {
  readonly row: ApprovalRow
  readonly decision: Decision
}

/** One rejection rejects. One statement counts the approvals and decides. */
async function record(approvals: ApprovalStore, sql: Sql, { row, decision }: Recorded): Promise<void> {
  const { clock, outbox, observe } = approvals
  const { approve, by, issuer = null, roles, comment = null } = decision
  const verdict = approve ? 'approved' : 'rejected'
  const decided = [clock(), row.tenant_id, row.approval_id, verdict, by, issuer]
  await sql.query(
    `INSERT INTO agentic_approval_decisions
       (tenant_id, approval_id, verdict, decided_by, decided_by_issuer, decided_at, comment, roles)
     VALUES ($2, $3, $4, $5, $6, ${NOW}, $7, ARRAY(SELECT json_array_elements_text($8::json)))`,
    [...decided, comment, JSON.stringify(roles.filter(isStorable))],
  )
  const [final] = await sql.query<ApprovalRow>(
    `UPDATE agentic_approvals AS a SET state = $4, decided_by = $5, decided_by_issuer = $6, decided_at = ${NOW}
     WHERE tenant_id = $2 AND approval_id = $3 AND state = 'pending' AND ($4 = 'rejected' OR a.quorum <= (
       SELECT count(*) FROM agentic_approval_decisions AS d
       WHERE d.tenant_id = a.tenant_id AND d.approval_id = a.approval_id AND d.verdict = 'approved'
     )) RETURNING ${COLUMNS}`,
    decided,
  )
  if (final === undefined) return
  await outbox?.add(sql, 'approval.decided', final)
  const waitedSeconds = (Number(final.decided_at) - Number(final.created_at)) / 1000
  sql.afterCommit?.(() => observe?.({ type: 'decided', row: final, verdict, waitedSeconds }))
}

/** Withdraws an open approval of the viewer. One in use stays: its request may be having its effect. */
export async function withdrawApproval(
  approvals: ApprovalStore,
  key: ApprovalKey,
  viewer: Viewer,
): Promise<Withdrawal> {
  if (!isStorable(key.tenantId) || !isStorable(key.approvalId)) return 'unknown'
  return approvals.store.transaction(async (sql) => {
    const row = await lock(approvals, sql, key)
    if (row === undefined) return 'unknown'
    if (!hasAsked(row, viewer)) return mayDecideByRole(row, viewer.roles) ? 'not_requester' : 'unknown'
    if (row.state === 'expired') return 'expired'
    if (row.state !== 'pending' && row.state !== 'approved') return 'not_pending'
    if (row.in_use) return 'in_use'
    await sql.query(
      `UPDATE agentic_approvals SET state = 'withdrawn' WHERE tenant_id = $1 AND approval_id = $2`,
      [key.tenantId, key.approvalId],
    )
    return 'withdrawn'
  })
}
