import { randomBytes } from 'node:crypto'
import type { ApprovalCheck, Approvals, PresentedToken, RuntimeOptions, Scope } from '../contract.ts'
import { assertStorable, isStorable, sha256 } from '../key-text.ts'
import { isOwner, principalOf } from '../principal.ts'
import { createSqlClock } from '../sql-clock.ts'
import type { Store } from '../store.ts'
import { createSweeper, sweep } from '../sweep.ts'
import type { ApprovalStore } from './approval-store.ts'
import { askForApproval, keptDigest } from './ask.ts'
import { decideApproval, withdrawApproval } from './decide.ts'
import { listApprovals, viewApproval } from './list.ts'
import type { ApprovalNotify } from './notify-options.ts'
import { sweepOutbox } from './outbox.ts'
import { reserve } from './reservation.ts'
import { type ApprovalRow, COLUMNS, requesterOf, shownDigest } from './row.ts'

/** The lifetimes and limits of approvals. */
export interface ApprovalsOptions extends RuntimeOptions {
  /** The time to decide and use an approval; 24 hours by default. */
  readonly expirySeconds?: number
  /** The time an expired approval stays visible; 30 days by default. */
  readonly keepSeconds?: number
  /** The public address of the gateway in front, for the links in notifications. */
  readonly publicUrl?: string
  /** The receivers of notifications; none by default. */
  readonly notify?: readonly ApprovalNotify[]
  /** The limit of open approvals of one requester in one tenant; 1,000 by default. */
  readonly maxOpenPerRequester?: number
}

const EXPIRY_SECONDS = 24 * 60 * 60
const KEEP_SECONDS = 30 * 24 * 60 * 60
// The approval of a dead process is free after this time. A live process renews its lease three times within it.
const LEASE_SECONDS = 30
const MAX_OPEN_PER_REQUESTER = 1000
const TOKEN_BYTES = 32

/** The settings of the store of approvals. */
export function approvalStore(
  store: Store,
  options: ApprovalsOptions,
  parts: Pick<ApprovalStore, 'outbox' | 'observe'> = {},
): ApprovalStore {
  return {
    ...parts,
    store,
    clock: createSqlClock(options),
    expirySeconds: options.expirySeconds ?? EXPIRY_SECONDS,
    leaseSeconds: options.leaseSeconds ?? LEASE_SECONDS,
    maxOpenPerRequester: options.maxOpenPerRequester ?? MAX_OPEN_PER_REQUESTER,
  }
}

/** Creates the approvals of a service. */
export function createApprovals(
  store: Store,
  options: ApprovalsOptions = {},
  parts: Pick<ApprovalStore, 'outbox' | 'observe'> = {},
): Approvals {
  const approvals = approvalStore(store, options, parts)
  const sweepWhenDue = createSweeper(async () => {
    const messages = await sweepOutbox(store, approvals.clock)
    return Math.max(messages, await sweepApprovals(store, options))
  })
  return {
    async request(scope, digest, wanted) {
      const { tenantId: tenant, operation, requester, issuer = '' } = scope
      const { role, requestedFor = '', requestedForIssuer = '' } = wanted
      assertStorable({ tenant, operation, requester, issuer, digest, role, requestedFor, requestedForIssuer })
      sweepWhenDue()
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      const kept = keptDigest(scope, digest, wanted.quorum)
      const asked = await store.transaction((sql) =>
        askForApproval(approvals, sql, { scope, digest: kept, wanted, token }),
      )
      return { ...asked, token }
    },
    check: (scope, digest, presented) => check(approvals, { scope, digest, ...presented }),
    view: (tenantId, approvalId, viewer) => viewApproval(approvals, { tenantId, approvalId }, viewer),
    list: (tenantId, viewer, query) => listApprovals(approvals, tenantId, { viewer, query }),
    decide: (tenantId, approvalId, decision) => decideApproval(approvals, { tenantId, approvalId }, decision),
    withdraw: (tenantId, approvalId, viewer) => withdrawApproval(approvals, { tenantId, approvalId }, viewer),
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

interface Presented extends PresentedToken {
  readonly scope: Scope
  readonly digest: string
}

/** Finds a token by its hash, so that no comparison leaks its text through timing. */
async function check(
  approvals: ApprovalStore,
  { scope, digest, token, role, quorum = 1 }: Presented,
): Promise<ApprovalCheck> {
  if (!isStorable(scope.tenantId)) return { kind: 'invalid' }
  const [row] = await approvals.store.query<ApprovalRow>(
    `SELECT ${COLUMNS} FROM agentic_approvals JOIN agentic_approval_tokens USING (tenant_id, approval_id)
     WHERE tenant_id = $2 AND token_hash = $3`,
    [approvals.clock(), scope.tenantId, sha256(token)],
  )
  if (row === undefined || !isBound(row, scope, digest)) return { kind: 'invalid' }
  if (isOpen(row) && (row.role !== role || row.quorum < quorum)) return { kind: 'other_role' }
  if (row.state === 'pending') return { kind: 'pending', approvalId: row.approval_id }
  if (row.state !== 'approved' || row.decided_by === null) return { kind: 'invalid' }
  return {
    kind: 'approved',
    approvalId: row.approval_id,
    shownDigest: shownDigest(row),
    decidedBy: row.decided_by,
    decidedByIssuer: row.decided_by_issuer ?? undefined,
    reserve: () => reserve(approvals, { tenantId: scope.tenantId, approvalId: row.approval_id }),
  }
}

function isBound(row: ApprovalRow, scope: Scope, digest: string): boolean {
  if (row.operation !== scope.operation || !isOwner(requesterOf(row), principalOf(scope))) return false
  const issuer = row.requester_issuer === null ? undefined : scope.issuer
  return row.digest === keptDigest({ issuer }, digest, row.quorum)
}

function isOpen({ state }: ApprovalRow): boolean {
  return state === 'pending' || state === 'approved'
}
