import { randomBytes, randomUUID } from 'node:crypto'
import { type ApprovalKey, reserve } from './approval-reservation.ts'
import type {
  ApprovalCheck,
  Approvals,
  ApprovalView,
  Decision,
  PresentedToken,
  RuntimeOptions,
  Scope,
  Viewer,
} from './contract.ts'
import { assertStorable, isStorable, sha256 } from './key-text.ts'
import { isOwner, keptPrincipal, maybeSame, type Principal, principalOf } from './principal.ts'
import { createSqlClock, NOW, type SqlClock, secondsFromNow } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'
import { createSweeper, sweep } from './sweep.ts'

/** The lifetimes of approvals. */
export interface ApprovalsOptions extends RuntimeOptions {
  /** The time to decide and use an approval; 24 hours by default. */
  readonly expirySeconds?: number
  /** The time an expired approval stays visible; 30 days by default. */
  readonly keepSeconds?: number
}

const EXPIRY_SECONDS = 24 * 60 * 60
const KEEP_SECONDS = 30 * 24 * 60 * 60
// The approval of a dead process is free after this time. A live process renews its lease three times within it.
const LEASE_SECONDS = 30
const TOKEN_BYTES = 32
// Only hashes of tokens are stored, so a repeated request gets a new token. The newest tokens are valid.
const TOKENS_PER_APPROVAL = 20

interface ApprovalStore {
  readonly store: Store
  readonly clock: SqlClock
  readonly expirySeconds: number
  readonly leaseSeconds: number
}

/** Creates the approvals of a service. */
export function createApprovals(store: Store, options: ApprovalsOptions = {}): Approvals {
  const { expirySeconds = EXPIRY_SECONDS, leaseSeconds = LEASE_SECONDS } = options
  const approvals: ApprovalStore = { store, clock: createSqlClock(options), expirySeconds, leaseSeconds }
  const sweepWhenDue = createSweeper(() => sweepApprovals(store, options))
  return {
    async request(scope, digest, wanted) {
      const { tenantId: tenant, operation, requester, issuer = '' } = scope
      const { role, requestedFor = '', requestedForIssuer = '' } = wanted
      assertStorable({ tenant, operation, requester, issuer, digest, role, requestedFor, requestedForIssuer })
      sweepWhenDue()
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const approvalId = await store.transaction((sql) =>
        ask(approvals, sql, { scope, digest: digestFor(scope, digest), wanted, token }),
      )
      return { approvalId, token }
    },
    check: (scope, digest, presented) => check(approvals, { scope, digest, ...presented }),
    view: (tenantId, approvalId, viewer) => view(approvals, { tenantId, approvalId }, viewer),
    decide: (tenantId, approvalId, decision) => decide(approvals, { tenantId, approvalId }, decision),
  }
}

/** Removes a batch of old approvals; resolves with their number. */
export function sweepApprovals(store: Store, options: ApprovalsOptions = {}): Promise<number> {
  const keepSeconds = Number(options.keepSeconds ?? KEEP_SECONDS)
  return sweep(store, createSqlClock(options), {
    table: 'agentic_approvals',
    key: 'tenant_id, approval_id',
    isOld: (now) => `expires_at <= ${now} - ${keepSeconds} * interval '1 second'`,
  })
}

/**
 * The kept digest of a request. It contains the issuer, because the index of open approvals does not: an older version
 * that runs side by side needs that index as it is.
 */
function digestFor({ issuer }: Scope, digest: string): string {
  return issuer === undefined ? digest : sha256(JSON.stringify([issuer, digest]))
}

interface NewRequest {
  readonly scope: Scope
  readonly digest: string
  readonly wanted: Parameters<Approvals['request']>[2]
  readonly token: string
}

async function ask(approvals: ApprovalStore, sql: Sql, request: NewRequest): Promise<string> {
  await expire(approvals, sql, request)
  const approvalId = await findOrCreate(approvals, sql, request)
  const { tenantId } = request.scope
  await sql.query(
    'INSERT INTO agentic_approval_tokens (tenant_id, token_hash, approval_id) VALUES ($1, $2, $3)',
    [tenantId, sha256(request.token), approvalId],
  )
  await sql.query(
    `DELETE FROM agentic_approval_tokens WHERE tenant_id = $1 AND approval_id = $2 AND number <= (
      SELECT number FROM agentic_approval_tokens WHERE tenant_id = $1 AND approval_id = $2
      ORDER BY number DESC OFFSET ${TOKENS_PER_APPROVAL} LIMIT 1
    )`,
    [tenantId, approvalId],
  )
  return approvalId
}

const IS_OPEN = `state IN ('pending', 'approved')`
/** An approval held by a background operation does not expire before the operation ends. */
const HAS_EXPIRED = `${IS_OPEN} AND held_by IS NULL AND expires_at <= ${NOW}`

/** Marks an expired approval, so that it does not block the next one. */
async function expire(
  { clock }: ApprovalStore,
  sql: Sql,
  { scope, digest, wanted }: NewRequest,
): Promise<void> {
  await sql.query(
    `UPDATE agentic_approvals SET state = 'expired' WHERE tenant_id = $2 AND operation = $3 AND requester = $4
     AND digest = $5 AND role = $6 AND ${HAS_EXPIRED}`,
    [clock(), scope.tenantId, scope.operation, scope.requester, digest, wanted.role],
  )
}

/** The assignment `role = known.role` has no effect, but makes the statement return the existing row and wait for its writer. */
async function findOrCreate(
  { clock, expirySeconds }: ApprovalStore,
  sql: Sql,
  { scope, digest, wanted }: NewRequest,
): Promise<string> {
  const [row] = await sql.query<{ approval_id: string }>(
    `INSERT INTO agentic_approvals AS known (tenant_id, approval_id, operation, requester, requester_issuer, digest,
       role, message, approver, requested_for, requested_for_issuer, state, created_at, expires_at)
     VALUES ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'pending', ${NOW}, ${secondsFromNow('$2')})
     ON CONFLICT (tenant_id, operation, requester, digest, role) WHERE ${IS_OPEN}
     DO UPDATE SET role = known.role RETURNING approval_id`,
    [
      clock(),
      expirySeconds,
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
    ],
  )
  if (row === undefined) throw new TypeError('an approval was neither found nor made')
  return row.approval_id
}

interface ApprovalRow {
  readonly approval_id: string
  readonly operation: string
  readonly requester: string
  readonly requester_issuer: string | null
  readonly requested_for: string | null
  readonly requested_for_issuer: string | null
  readonly digest: string
  readonly role: string
  readonly message: string
  readonly approver: string
  readonly state: ApprovalView['state']
  readonly created_at: Date
  readonly expires_at: Date
  readonly decided_by: string | null
  readonly decided_by_issuer: string | null
}

/** The current state: an open approval past its time counts as expired, even if the row does not say so yet. */
const COLUMNS = `approval_id, operation, requester, requester_issuer, requested_for, requested_for_issuer, digest, role,
  message, approver, created_at, expires_at, decided_by, decided_by_issuer, CASE WHEN ${HAS_EXPIRED} THEN 'expired' ELSE state END AS state`

interface Presented extends PresentedToken {
  readonly scope: Scope
  readonly digest: string
}

/** Finds a token by its hash, so that no comparison leaks its text through timing. */
async function check(
  approvals: ApprovalStore,
  { scope, digest, token, role }: Presented,
): Promise<ApprovalCheck> {
  if (!isStorable(scope.tenantId)) return { kind: 'invalid' }
  const [row] = await approvals.store.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals JOIN agentic_approval_tokens USING (tenant_id, approval_id)
     WHERE tenant_id = $2 AND token_hash = $3`,
    [approvals.clock(), scope.tenantId, sha256(token)],
  )
  if (row === undefined || !isBound(row, scope, digest)) return { kind: 'invalid' }
  if (isOpen(row) && row.role !== role) return { kind: 'other_role' }
  if (row.state === 'pending') return { kind: 'pending', approvalId: row.approval_id }
  if (row.state !== 'approved' || row.decided_by === null) return { kind: 'invalid' }
  return {
    kind: 'approved',
    approvalId: row.approval_id,
    decidedBy: row.decided_by,
    decidedByIssuer: row.decided_by_issuer ?? undefined,
    reserve: () => reserve(approvals, { tenantId: scope.tenantId, approvalId: row.approval_id }),
  }
}

function isBound(row: ApprovalRow, scope: Scope, digest: string): boolean {
  if (row.operation !== scope.operation || !isOwner(requesterOf(row), principalOf(scope))) return false
  return row.digest === (row.requester_issuer === null ? digest : digestFor(scope, digest))
}

function requesterOf({ requester, requester_issuer }: ApprovalRow): Principal {
  return keptPrincipal(requester, requester_issuer)
}

function isOpen({ state }: ApprovalRow): boolean {
  return state === 'pending' || state === 'approved'
}

async function find({ store, clock }: ApprovalStore, key: ApprovalKey): Promise<ApprovalRow | undefined> {
  if (!isStorable(key.tenantId) || !isStorable(key.approvalId)) return undefined
  const [row] = await store.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals WHERE tenant_id = $2 AND approval_id = $3`,
    [clock(), key.tenantId, key.approvalId],
  )
  return row
}

async function view(
  approvals: ApprovalStore,
  key: ApprovalKey,
  viewer: Viewer | undefined,
): Promise<ApprovalView | undefined> {
  const row = await find(approvals, key)
  if (row === undefined || (viewer !== undefined && !maySee(row, viewer))) return undefined
  const { approvalId } = key
  const { state, operation, requester, message, role } = row
  return {
    approvalId,
    state,
    operation,
    requester,
    ...(row.requester_issuer !== null && { requesterIssuer: row.requester_issuer }),
    ...(row.requested_for !== null && { requestedFor: row.requested_for }),
    ...(row.requested_for_issuer !== null && { requestedForIssuer: row.requested_for_issuer }),
    message,
    approver: { name: row.approver },
    role,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.decided_by_issuer !== null && { decidedByIssuer: row.decided_by_issuer }),
  }
}

/** The text of an approval is for those who asked for it, and for those who may decide it or did (decision 38). */
function maySee(row: ApprovalRow, viewer: Viewer): boolean {
  if (viewer.roles.includes(row.role)) return true
  const involved = [requesterOf(row), personBehind(row), keptPrincipal(row.decided_by, row.decided_by_issuer)]
  return involved.some((one) => one.subject !== '' && isOwner(one, viewer))
}

/** The person behind the requester; without a subject if there is none. */
function personBehind({ requested_for, requested_for_issuer }: ApprovalRow): Principal {
  return keptPrincipal(requested_for, requested_for_issuer)
}

/** Neither the requester nor the person behind it may decide, with any role (decision 13). An unknown issuer may be any. */
async function decide(
  approvals: ApprovalStore,
  key: ApprovalKey,
  { approve, by, issuer, roles }: Decision,
): ReturnType<Approvals['decide']> {
  assertStorable({ subject: by, issuer: issuer ?? '' })
  const row = await find(approvals, key)
  if (row === undefined) return 'unknown'
  const decider = { subject: by, issuer }
  if (maybeSame(requesterOf(row), decider) || maybeSame(personBehind(row), decider)) return 'own_request'
  if (!roles.includes(row.role)) return 'role_missing'
  const rows = await approvals.store.query(
    `UPDATE agentic_approvals SET state = $4, decided_by = $5, decided_by_issuer = $6
     WHERE tenant_id = $2 AND approval_id = $3 AND state = 'pending' AND expires_at > ${NOW} RETURNING tenant_id`,
    [approvals.clock(), key.tenantId, key.approvalId, approve ? 'approved' : 'rejected', by, issuer ?? null],
  )
  return rows.length === 0 ? 'not_pending' : 'decided'
}
