import { randomBytes, randomUUID } from 'node:crypto'
import { type ApprovalKey, reserve } from './approval-reservation.ts'
import type {
  ApprovalCheck,
  Approvals,
  ApprovalView,
  PresentedToken,
  RuntimeOptions,
  Scope,
} from './contract.ts'
import { assertStorable, isStorable, sha256 } from './key-text.ts'
import { createSqlClock, NOW, type SqlClock, secondsFromNow } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'
import { createSweeper, sweep } from './sweep.ts'

/** How long approvals live. */
export interface ApprovalsOptions extends RuntimeOptions {
  /** How long an approval can be decided and used, 24 hours unless set. */
  readonly expirySeconds?: number
  /** How long an approval can be seen after that, 30 days unless set. */
  readonly keepSeconds?: number
}

const EXPIRY_SECONDS = 24 * 60 * 60
const KEEP_SECONDS = 30 * 24 * 60 * 60
// An approval whose process died is free again after this; a living one renews its lease three times in it.
const LEASE_SECONDS = 30
const TOKEN_BYTES = 32
// The same request asked again gets a token of its own, because only hashes are kept; the newest of them work.
const TOKENS_PER_APPROVAL = 20

interface Desk {
  readonly store: Store
  readonly clock: SqlClock
  readonly expirySeconds: number
  readonly leaseSeconds: number
}

/** Makes the approvals of a service. */
export function createApprovals(store: Store, options: ApprovalsOptions = {}): Approvals {
  const { expirySeconds = EXPIRY_SECONDS, leaseSeconds = LEASE_SECONDS } = options
  const desk: Desk = { store, clock: createSqlClock(options), expirySeconds, leaseSeconds }
  const sweepWhenDue = createSweeper(() => sweepApprovals(store, options))
  return {
    async request(scope, digest, wanted) {
      const { tenantId: tenant, operation, requester } = scope
      const { role, requestedFor = '' } = wanted
      assertStorable({ tenant, operation, requester, digest, role, requestedFor })
      sweepWhenDue()
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const approvalId = await store.transaction((sql) => ask(desk, sql, { scope, digest, wanted, token }))
      return { approvalId, token }
    },
    check: (scope, digest, presented) => check(desk, { scope, digest, ...presented }),
    view: (tenantId, approvalId) => view(desk, tenantId, approvalId),
    decide: (tenantId, approvalId, decision) => decide(desk, { tenantId, approvalId }, decision),
  }
}

/** Removes a batch of approvals that nobody needs to see any more, and says how many there were. */
export function sweepApprovals(store: Store, options: ApprovalsOptions = {}): Promise<number> {
  const keepSeconds = Number(options.keepSeconds ?? KEEP_SECONDS)
  return sweep(store, createSqlClock(options), {
    table: 'agentic_approvals',
    key: 'tenant_id, approval_id',
    isOld: (now) => `expires_at <= ${now} - ${keepSeconds} * interval '1 second'`,
  })
}

interface Asking {
  readonly scope: Scope
  readonly digest: string
  readonly wanted: Parameters<Approvals['request']>[2]
  readonly token: string
}

async function ask(desk: Desk, sql: Sql, asking: Asking): Promise<string> {
  await expire(desk, sql, asking)
  const approvalId = await findOrCreate(desk, sql, asking)
  const { tenantId } = asking.scope
  await sql.query(
    'INSERT INTO agentic_approval_tokens (tenant_id, token_hash, approval_id) VALUES ($1, $2, $3)',
    [tenantId, sha256(asking.token), approvalId],
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
/** What an operation in the background was accepted with stays good until the operation has ended. */
const HAS_EXPIRED = `${IS_OPEN} AND held_by IS NULL AND expires_at <= ${NOW}`

/** An approval that has run out must not stand in the way of the next one. */
async function expire({ clock }: Desk, sql: Sql, { scope, digest, wanted }: Asking): Promise<void> {
  await sql.query(
    `UPDATE agentic_approvals SET state = 'expired' WHERE tenant_id = $2 AND operation = $3 AND requester = $4
     AND digest = $5 AND role = $6 AND ${HAS_EXPIRED}`,
    [clock(), scope.tenantId, scope.operation, scope.requester, digest, wanted.role],
  )
}

/** The assignment changes nothing; it makes the statement return the row that was there, and wait for its writer. */
async function findOrCreate(
  { clock, expirySeconds }: Desk,
  sql: Sql,
  { scope, digest, wanted }: Asking,
): Promise<string> {
  const [row] = await sql.query<{ approval_id: string }>(
    `INSERT INTO agentic_approvals AS known (tenant_id, approval_id, operation, requester, digest, role, message,
       approver, requested_for, state, created_at, expires_at)
     VALUES ($3, $4, $5, $6, $7, $8, $9, $10, $11, 'pending', ${NOW}, ${secondsFromNow('$2')})
     ON CONFLICT (tenant_id, operation, requester, digest, role) WHERE ${IS_OPEN}
     DO UPDATE SET role = known.role RETURNING approval_id`,
    [
      clock(),
      expirySeconds,
      scope.tenantId,
      randomUUID(),
      scope.operation,
      scope.requester,
      digest,
      wanted.role,
      wanted.message,
      wanted.approver.name,
      wanted.requestedFor ?? null,
    ],
  )
  if (row === undefined) throw new TypeError('an approval was neither found nor made')
  return row.approval_id
}

interface ApprovalRow {
  readonly approval_id: string
  readonly operation: string
  readonly requester: string
  readonly requested_for: string | null
  readonly digest: string
  readonly role: string
  readonly message: string
  readonly approver: string
  readonly state: ApprovalView['state']
  readonly created_at: Date
  readonly expires_at: Date
  readonly decided_by: string | null
}

/** The state as it is now: what is open and past its time has expired, whether or not that was written down. */
const COLUMNS = `approval_id, operation, requester, requested_for, digest, role, message, approver, created_at,
  expires_at, decided_by, CASE WHEN ${HAS_EXPIRED} THEN 'expired' ELSE state END AS state`

interface Presented extends PresentedToken {
  readonly scope: Scope
  readonly digest: string
}

/** A token is found by its hash, so that neither the text nor the time of a comparison tells anything about it. */
async function check(desk: Desk, { scope, digest, token, role }: Presented): Promise<ApprovalCheck> {
  if (!isStorable(scope.tenantId)) return { kind: 'invalid' }
  const [row] = await desk.store.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals JOIN agentic_approval_tokens USING (tenant_id, approval_id)
     WHERE tenant_id = $2 AND token_hash = $3`,
    [desk.clock(), scope.tenantId, sha256(token)],
  )
  if (row === undefined || !isBound(row, scope, digest)) return { kind: 'invalid' }
  if (isOpen(row) && row.role !== role) return { kind: 'other_role' }
  if (row.state === 'pending') return { kind: 'pending', approvalId: row.approval_id }
  if (row.state !== 'approved' || row.decided_by === null) return { kind: 'invalid' }
  return {
    kind: 'approved',
    approvalId: row.approval_id,
    decidedBy: row.decided_by,
    reserve: () => reserve(desk, { tenantId: scope.tenantId, approvalId: row.approval_id }),
  }
}

function isBound(row: ApprovalRow, { operation, requester }: Scope, digest: string): boolean {
  return row.operation === operation && row.requester === requester && row.digest === digest
}

function isOpen({ state }: ApprovalRow): boolean {
  return state === 'pending' || state === 'approved'
}

async function find({ store, clock }: Desk, key: ApprovalKey): Promise<ApprovalRow | undefined> {
  if (!isStorable(key.tenantId) || !isStorable(key.approvalId)) return undefined
  const [row] = await store.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals WHERE tenant_id = $2 AND approval_id = $3`,
    [clock(), key.tenantId, key.approvalId],
  )
  return row
}

async function view(desk: Desk, tenantId: string, approvalId: string): Promise<ApprovalView | undefined> {
  const row = await find(desk, { tenantId, approvalId })
  if (row === undefined) return undefined
  const { state, operation, requester, message, role } = row
  return {
    approvalId,
    state,
    operation,
    requester,
    ...(row.requested_for !== null && { requestedFor: row.requested_for }),
    message,
    approver: { name: row.approver },
    role,
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
  }
}

type Decision = Parameters<Approvals['decide']>[2]

/** Who asked never decides, whatever the roles (decision 13), and neither does the person behind an agent that asked. */
async function decide(
  desk: Desk,
  key: ApprovalKey,
  { approve, by, roles }: Decision,
): ReturnType<Approvals['decide']> {
  assertStorable({ subject: by })
  const row = await find(desk, key)
  if (row === undefined) return 'unknown'
  if (row.requester === by || row.requested_for === by) return 'own_request'
  if (!roles.includes(row.role)) return 'role_missing'
  const rows = await desk.store.query(
    `UPDATE agentic_approvals SET state = $4, decided_by = $5
     WHERE tenant_id = $2 AND approval_id = $3 AND state = 'pending' AND expires_at > ${NOW} RETURNING tenant_id`,
    [desk.clock(), key.tenantId, key.approvalId, approve ? 'approved' : 'rejected', by],
  )
  return rows.length === 0 ? 'not_pending' : 'decided'
}
