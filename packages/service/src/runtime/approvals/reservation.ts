import type { Reservation } from '../contract.ts'
import { NOW, type SqlClock, secondsFromNow } from '../sql-clock.ts'
import type { Sql, Store } from '../store.ts'
import { TakenOverError } from '../store.ts'

/** The options of reservations. */
interface ReservationOptions {
  readonly store: Store
  readonly clock: SqlClock
  readonly leaseSeconds: number
}

/** The key of an approval. */
export interface ApprovalKey {
  readonly tenantId: string
  readonly approvalId: string
}

interface Held extends ApprovalKey {
  readonly fence: string
}

/**
 * Reserves an approval before its run. An effect outside the store cannot be rolled back, so only one of several
 * concurrent requests may start. One statement decides which.
 */
export async function reserve(
  options: ReservationOptions,
  { tenantId, approvalId }: ApprovalKey,
): Promise<Reservation | undefined> {
  const { store, clock, leaseSeconds } = options
  const [row] = await store.query<{ fence: string }>(
    `UPDATE agentic_approvals SET fence = nextval('agentic_fence'), reserved_until = ${secondsFromNow('$2')}
     WHERE tenant_id = $3 AND approval_id = $4 AND state = 'approved' AND expires_at > ${NOW}
       AND held_by IS NULL AND (reserved_until IS NULL OR reserved_until <= ${NOW})
     RETURNING fence::text AS fence`,
    [clock(), leaseSeconds, tenantId, approvalId],
  )
  return row && createReservation(options, { tenantId, approvalId, fence: row.fence })
}

function createReservation(options: ReservationOptions, held: Held): Reservation {
  const heartbeat = setInterval(() => renew(options, held).catch(ignore), (options.leaseSeconds * 1000) / 3)
  heartbeat.unref()
  return {
    async redeem(sql) {
      // The row lock of this transaction now excludes other requests, so the lease needs no more renewals.
      clearInterval(heartbeat)
      await use(options, sql, { held, change: `state = 'redeemed'`, values: [] })
    },
    async hand(sql, operationId) {
      clearInterval(heartbeat)
      await use(options, sql, { held, change: 'held_by = $5, reserved_until = NULL', values: [operationId] })
    },
    async release() {
      clearInterval(heartbeat)
      const text = `UPDATE agentic_approvals SET reserved_until = NULL WHERE ${isHeld(1)}`
      await options.store.query(text, heldKey(held))
    },
  }
}

/** A failed renewal is ignored: the lease expires, and the fence rejects a late effect. */
function ignore(): void {}

async function renew({ store, clock, leaseSeconds }: ReservationOptions, held: Held): Promise<void> {
  await store.query(
    `UPDATE agentic_approvals SET reserved_until = ${secondsFromNow('$2')} WHERE ${isHeld(3)}`,
    [clock(), leaseSeconds, ...heldKey(held)],
  )
}

interface Use {
  readonly held: Held
  readonly change: string
  readonly values: readonly unknown[]
}

/** Changes the row if this reservation still has the highest fence; otherwise throws a `TakenOverError`. */
async function use({ clock }: ReservationOptions, sql: Sql, { held, change, values }: Use): Promise<void> {
  const rows = await sql.query(
    `UPDATE agentic_approvals SET ${change} WHERE ${isHeld(2)} AND expires_at > ${NOW} RETURNING tenant_id`,
    [clock(), ...heldKey(held), ...values],
  )
  if (rows.length === 0) throw new TakenOverError('the approval was used meanwhile or has expired')
}

function isHeld(first: number): string {
  const isRow = `tenant_id = $${first} AND approval_id = $${first + 1} AND fence = $${first + 2}::bigint`
  return `${isRow} AND state = 'approved' AND held_by IS NULL`
}

function heldKey({ tenantId, approvalId, fence }: Held): readonly unknown[] {
  return [tenantId, approvalId, fence]
}

/** A background operation that was accepted with an approval. */
interface Holder {
  readonly tenantId: string
  readonly operationId: string
  readonly approvalId: string
}

/** Ends the hold of an operation, in the transaction that ends the operation. The approval is then redeemed, or free again. */
export async function endHold(
  sql: Sql,
  { tenantId, approvalId, operationId }: Holder,
  end: 'redeemed' | 'approved',
): Promise<void> {
  await sql.query(
    `UPDATE agentic_approvals SET state = $4, held_by = NULL
     WHERE tenant_id = $1 AND approval_id = $2 AND held_by = $3 AND state = 'approved'`,
    [tenantId, approvalId, operationId, end],
  )
}
