import type { WrittenApproval } from '@agentic-rest/profile/approval'
import type { ApprovalPage, ApprovalQuery, Viewer } from '../contract.ts'
import { isStorable } from '../key-text.ts'
import type { ApprovalStore } from './approval-store.ts'
import type { ApprovalKey } from './reservation.ts'
import { DECIDED_COLUMNS, type DecidedRow, maySee, STATE, viewOf } from './row.ts'

/** Shows one approval; with a `viewer`, only if it is involved. */
export async function viewApproval(
  { store, clock }: ApprovalStore,
  { tenantId, approvalId }: ApprovalKey,
  viewer: Viewer | undefined,
): Promise<WrittenApproval | undefined> {
  if (!isStorable(tenantId) || !isStorable(approvalId)) return undefined
  const [row] = await store.query<DecidedRow>(
    `SELECT ${DECIDED_COLUMNS} FROM agentic_approvals AS a WHERE tenant_id = $2 AND approval_id = $3`,
    [clock(), tenantId, approvalId],
  )
  if (row === undefined || (viewer !== undefined && !maySee(row, viewer))) return undefined
  return viewOf(row)
}

interface ListRow extends DecidedRow {
  readonly micros: string
}

// Whole microseconds, the resolution of the column. A JavaScript date would lose the last three digits.
const MICROS = '(extract(epoch FROM created_at) * 1000000)::bigint'

/** Whether the viewer asked for a row; without a kept issuer the subject alone decides (decision 36). */
const IS_OWN = (subject: string, issuer: string) =>
  `(${subject} = $3 AND (${issuer} IS NULL OR ${issuer} = $4::text))`

/** Lists the approvals that the viewer has asked for or whose role it has, the newest first. */
export async function listApprovals(
  { store, clock }: ApprovalStore,
  tenantId: string,
  { viewer, query }: { readonly viewer: Viewer; readonly query: ApprovalQuery },
): Promise<ApprovalPage | undefined> {
  const before = query.cursor === undefined ? { micros: null, approvalId: null } : readCursor(query.cursor)
  if (before === undefined) return undefined
  const { subject, issuer, roles } = viewer
  const rows = await store.query<ListRow>(
    `SELECT ${DECIDED_COLUMNS}, ${MICROS}::text AS micros FROM agentic_approvals AS a
     WHERE tenant_id = $2 AND ($6::text IS NULL OR ${STATE} = $6)
       AND (${IS_OWN('requester', 'requester_issuer')} OR ${IS_OWN('requested_for', 'requested_for_issuer')}
         OR (NOT by_requester AND role IN (SELECT json_array_elements_text($5::json))))
       AND ($7::bigint IS NULL
         OR (created_at, approval_id) < ('epoch'::timestamptz + $7::bigint * interval '1 microsecond', $8::text))
     ORDER BY created_at DESC, approval_id DESC LIMIT $9`,
    [
      clock(),
      tenantId,
      subject,
      issuer ?? null,
      JSON.stringify(roles.filter(isStorable)),
      query.state === 'used' ? 'redeemed' : (query.state ?? null),
      before.micros,
      before.approvalId,
      query.limit + 1,
    ],
  )
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  const next = rows.length > shown.length && last !== undefined ? { next: writeCursor(last) } : {}
  return { approvals: shown.map(viewOf), ...next }
}

interface Cursor {
  readonly micros: string
  readonly approvalId: string
}

function writeCursor({ micros, approval_id }: ListRow): string {
  return `${micros}_${approval_id}`
}

/** The form of a cursor: the time of the last approval in microseconds, and its id. Callers treat it as opaque. */
export const CURSOR = '^([0-9]{1,17})_([0-9A-Za-z_-]{1,128})$'

function readCursor(cursor: string): Cursor | undefined {
  const [, micros, approvalId] = new RegExp(CURSOR).exec(cursor) ?? []
  return micros === undefined || approvalId === undefined ? undefined : { micros, approvalId }
}
