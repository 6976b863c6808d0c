import { parseOwnJson } from '@agentic-rest/profile'
import type { Job } from './contract.ts'
import { NOW, type SqlClock, secondsFromNow } from './sql-clock.ts'
import { type Store, TakenOverError } from './store.ts'

/** The key of an operation. */
export interface OperationKey {
  readonly tenantId: string
  readonly operationId: string
}

/** The right to run an operation, until it expires or a higher fence exists. */
export interface Lease extends OperationKey {
  readonly fence: string
  /** The number of this attempt, from 1. */
  readonly attempt: number
  readonly job: Job
}

/** Leases of operations. Every write of a lease checks its fence. */
export interface OperationLeases {
  /** Leases up to `limit` due operations, fairly between tenants. */
  lease(names: readonly string[], limit: number): Promise<readonly Lease[]>
  /** Renews leases; resolves with the ids of the leases that are still valid. */
  renew(leases: readonly Lease[]): Promise<ReadonlySet<string>>
  progress(lease: Lease, value: unknown): Promise<void>
  /** Gives the operation back for a retry after a pause. */
  retryIn(lease: Lease, seconds: number): Promise<void>
  /** Gives the operation back without counting the attempt. */
  giveBack(lease: Lease): Promise<void>
}

interface Context {
  readonly store: Store
  readonly clock: SqlClock
  readonly leaseSeconds: number
}

/** Creates the leases of operations on a store. */
export function createOperationLeases(context: Context): OperationLeases {
  return {
    lease: (names, limit) => lease(context, names, limit),
    renew: (leases) => renew(context, leases),
    progress: (held, value) => progress(context, held, value),
    retryIn: (held, seconds) => letGo(context, held, { seconds, attempt: held.attempt }),
    giveBack: (held) => letGo(context, held, { seconds: 0, attempt: held.attempt - 1 }),
  }
}

interface LeaseRow {
  readonly tenant_id: string
  readonly operation_id: string
  readonly fence: string
  readonly attempts: number
  readonly job: string
}

/** `available_at` is the time from which an operation may be leased: at once, after a pause, or when a lease expires. */
async function lease({ store, clock, leaseSeconds }: Context, names: readonly string[], limit: number) {
  const rows = await store.query<LeaseRow>(
    'SELECT * FROM agentic_lease($1::text[], $2::integer, $3::double precision, $4::timestamptz)',
    [names, limit, leaseSeconds, clock()],
  )
  return rows.map(toLease)
}

function toLease(row: LeaseRow): Lease {
  const job = parseOwnJson(row.job) as Job
  return {
    tenantId: row.tenant_id,
    operationId: row.operation_id,
    fence: row.fence,
    attempt: row.attempts,
    // JSON has no `undefined`.
    job: {
      ...job,
      idempotencyKey: job.idempotencyKey,
      approvalId: job.approvalId,
    },
  }
}

async function renew({ store, clock, leaseSeconds }: Context, leases: readonly Lease[]) {
  const rows = await store.query<{ operation_id: string }>(
    `UPDATE agentic_operations AS held SET available_at = ${secondsFromNow('$2')}
     FROM unnest($3::text[], $4::text[], $5::bigint[]) AS mine (tenant_id, operation_id, fence)
     WHERE held.tenant_id = mine.tenant_id AND held.operation_id = mine.operation_id
       AND held.fence = mine.fence AND held.state = 'working'
     RETURNING held.operation_id`,
    [
      clock(),
      leaseSeconds,
      leases.map(({ tenantId }) => tenantId),
      leases.map(({ operationId }) => operationId),
      leases.map(({ fence }) => fence),
    ],
  )
  return new Set(rows.map(({ operation_id }) => operation_id))
}

/** The condition for the row of a valid lease, with `$2` to `$4`. */
export const IS_HELD = `tenant_id = $2 AND operation_id = $3 AND fence = $4::bigint AND state = 'working'`

/** The parameters of `IS_HELD`. */
export function heldRow({ tenantId, operationId, fence }: Lease): readonly unknown[] {
  return [tenantId, operationId, fence]
}

/** Throws if no row of a lease was found: its run has lost the operation. */
export function assertHeld(rows: readonly unknown[]): void {
  if (rows.length === 0)
    throw new TakenOverError('the operation was cancelled or taken over by another worker')
}

async function progress({ store, clock }: Context, held: Lease, value: unknown): Promise<void> {
  const rows = await store.query(
    `UPDATE agentic_operations SET progress = $5, updated_at = ${NOW} WHERE ${IS_HELD} RETURNING tenant_id`,
    [clock(), ...heldRow(held), JSON.stringify(value)],
  )
  assertHeld(rows)
}

/** Gives an operation back. The higher fence rejects late writes of the old run. */
async function letGo({ store, clock }: Context, held: Lease, next: { seconds: number; attempt: number }) {
  await store.query(
    `UPDATE agentic_operations
     SET available_at = ${secondsFromNow('$5')}, attempts = $6, fence = fence + 1, leased = false
     WHERE ${IS_HELD}`,
    [clock(), ...heldRow(held), next.seconds, next.attempt],
  )
}
