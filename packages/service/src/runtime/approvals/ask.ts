import { randomBytes, randomUUID } from 'node:crypto'
import type { ApprovalRequest, Scope } from '../contract.ts'
import { sha256 } from '../key-text.ts'
import { NOW, secondsFromNow } from '../sql-clock.ts'
import type { Sql } from '../store.ts'
import type { ApprovalStore } from './approval-store.ts'
import { type ApprovalRow, COLUMNS, HAS_EXPIRED, IS_OPEN, shownDigest } from './row.ts'

// Only hashes of tokens are stored, so a repeated request gets a new token. The newest tokens are valid.
const TOKENS_PER_APPROVAL = 20
const SALT_BYTES = 32

/** The requester has as many open approvals as it may have. The transaction is rolled back. */
export class TooManyApprovalsError extends Error {
  override readonly name = 'TooManyApprovalsError'
  readonly limit: number

  constructor(limit: number) {
    super(`the requester has ${limit} open approvals`)
    this.limit = limit
  }
}

/**
 * The kept digest of a request. It contains the issuer and the quorum, because the index of open approvals does not: an
 * older version that runs side by side needs that index as it is.
 */
export function keptDigest({ issuer }: Pick<Scope, 'issuer'>, digest: string, quorum = 1): string {
  if (quorum > 1) return sha256(JSON.stringify([issuer ?? null, digest, quorum]))
  return issuer === undefined ? digest : sha256(JSON.stringify([issuer, digest]))
}

/** A request for an approval, with its kept digest and a new token. */
interface NewRequest {
  readonly scope: Scope
  readonly digest: string
  readonly wanted: ApprovalRequest
  readonly token: string
}

interface Asked {
  readonly approvalId: string
  /** The digest that the approval shows. */
  readonly digest: string
  /** Whether no approval of the same request was open. */
  readonly isNew: boolean
}

interface Found {
  readonly row: ApprovalRow
  readonly isNew: boolean
}

/** Finds the open approval of a request or creates one, and adds the token to it. */
export async function askForApproval(
  approvals: ApprovalStore,
  sql: Sql,
  request: NewRequest,
): Promise<Asked> {
  const { tenantId, requester } = request.scope
  // Requests of one requester wait for each other, so that the limit is exact.
  await sql.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    JSON.stringify(['agentic_approvals', tenantId, requester]),
  ])
  await expire(approvals, sql, request)
  const { row, isNew } = await findOrCreate(approvals, sql, request)
  const asked = { approvalId: row.approval_id, digest: shownDigest(row), isNew }
  if (isNew) {
    await assertWithinLimit(approvals, sql, request.scope)
    await approvals.outbox?.add(sql, 'approval.requested', row)
  }
  await sql.query(
    'INSERT INTO agentic_approval_tokens (tenant_id, token_hash, approval_id) VALUES ($1, $2, $3)',
    [tenantId, sha256(request.token), asked.approvalId],
  )
  await sql.query(
    `DELETE FROM agentic_approval_tokens WHERE tenant_id = $1 AND approval_id = $2 AND number <= (
      SELECT number FROM agentic_approval_tokens WHERE tenant_id = $1 AND approval_id = $2
      ORDER BY number DESC OFFSET ${TOKENS_PER_APPROVAL} LIMIT 1
    )`,
    [tenantId, asked.approvalId],
  )
  return asked
}

/** Marks an expired approval, so that it does not block the next one. */
async function expire(
  { clock, outbox, observe }: ApprovalStore,
  sql: Sql,
  { scope, digest, wanted }: NewRequest,
): Promise<void> {
  const [row] = await sql.query<ApprovalRow>(
    `UPDATE agentic_approvals SET state = 'expired' WHERE tenant_id = $2 AND operation = $3 AND requester = $4
     AND digest = $5 AND role = $6 AND ${HAS_EXPIRED} RETURNING ${COLUMNS}`,
    [clock(), scope.tenantId, scope.operation, scope.requester, digest, wanted.role],
  )
  if (row === undefined) return
  await outbox?.add(sql, 'approval.expired', row)
  sql.afterCommit?.(() => observe?.({ type: 'expired', row }))
}

/**
 * The assignment `role = known.role` has no effect, but makes the statement return the existing row and wait for its
 * writer. Only a new row has no `xmax`.
 */
async function findOrCreate(approvals: ApprovalStore, sql: Sql, request: NewRequest): Promise<Found> {
  const { scope, digest, wanted } = request
  const [row] = await sql.query<ApprovalRow & { readonly is_new: boolean }>(
    `INSERT INTO agentic_approvals AS known (tenant_id, approval_id, operation, requester, requester_issuer, digest,
       role, message, approver, requested_for, requested_for_issuer, quorum, by_requester, request, correlation_id, via,
       salt, state, created_at, expires_at)
     VALUES ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16::jsonb, $17,
       ARRAY(SELECT json_array_elements_text($18::json)), $19, 'pending', ${NOW}, ${secondsFromNow('$2')})
     ON CONFLICT (tenant_id, operation, requester, digest, role) WHERE ${IS_OPEN}
     DO UPDATE SET role = known.role RETURNING ${COLUMNS}, (xmax = 0) AS is_new`,
    [
      approvals.clock(),
      wanted.expirySeconds ?? approvals.expirySeconds,
      scope.tenantId,
      randomUUID(),
      scope.operation,
      scope.requester,
      scope.issuer ?? null,
      digest,
      wanted.role,
      wanted.message,
      wanted.approver.name,
      wanted.requestedFor ?? null,
      wanted.requestedForIssuer ?? null,
      wanted.quorum ?? 1,
      wanted.byRequester ?? false,
      wanted.request === undefined ? null : JSON.stringify(wanted.request),
      wanted.correlationId ?? null,
      JSON.stringify(wanted.via ?? []),
      randomBytes(SALT_BYTES).toString('base64url'),
    ],
  )
  if (row === undefined) throw new TypeError('an approval was neither found nor made')
  return { row, isNew: row.is_new }
}

async function assertWithinLimit(
  { clock, maxOpenPerRequester }: ApprovalStore,
  sql: Sql,
  { tenantId, requester, issuer }: Scope,
): Promise<void> {
  const [row] = await sql.query<{ open: number }>(
    `SELECT count(*)::int AS open FROM (
       SELECT 1 FROM agentic_approvals WHERE tenant_id = $2 AND requester = $3
         AND requester_issuer IS NOT DISTINCT FROM $4::text AND ${IS_OPEN}
         AND (held_by IS NOT NULL OR expires_at > ${NOW}) LIMIT $5
     ) AS those`,
    [clock(), tenantId, requester, issuer ?? null, maxOpenPerRequester + 1],
  )
  if (row !== undefined && row.open > maxOpenPerRequester)
    throw new TooManyApprovalsError(maxOpenPerRequester)
}
