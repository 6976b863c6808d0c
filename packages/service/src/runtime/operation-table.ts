import { randomUUID } from 'node:crypto'
import type { Outcome } from '@agentic-rest/profile'
import { endHold } from './approval-reservation.ts'
import type { Cancellation, Job, OperationState, OperationStatus, Releasers } from './contract.ts'
import { assertStorable, isStorable, sha256 } from './key-text.ts'
import { isOwner, keptPrincipal, type Principal, principalOf } from './principal.ts'
import { NOW, type SqlClock, secondsFromNow } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'
import { TakenOverError } from './store.ts'

/** The key of an operation. */
interface OperationKey {
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

/** The operations of all tenants, for workers. Every write of a lease checks its fence. */
export interface OperationTable {
  insert(sql: Sql, job: Job): Promise<string>
  /** With an `owner`, only if it is the requester or the person behind it. */
  find(tenantId: string, operationId: string, owner?: Principal): Promise<OperationStatus | undefined>
  /** Uses its own transaction unless `sql` is given. */
  cancel(key: OperationKey, sql?: Sql): Promise<Cancellation>
  /** Leases up to `limit` available operations. */
  lease(names: readonly string[], limit: number): Promise<readonly Lease[]>
  /** Renews leases; resolves with the ids of the leases that are still valid. */
  renew(leases: readonly Lease[]): Promise<ReadonlySet<string>>
  progress(lease: Lease, value: unknown): Promise<void>
  /** Runs `work` with the operation locked, and stores its outcome in the same transaction. */
  finish(lease: Lease, work: (sql: Sql) => Promise<Outcome>): Promise<Outcome>
  /** Stores an outcome; does nothing if the lease is lost. */
  settle(lease: Lease, outcome: Outcome): Promise<void>
  /** Gives the operation back for a retry after a pause. */
  retryIn(lease: Lease, seconds: number): Promise<void>
  /** Gives the operation back without counting the attempt. */
  giveBack(lease: Lease): Promise<void>
}

interface Context {
  readonly store: Store
  readonly clock: SqlClock
  readonly leaseSeconds: number
  readonly releasers: Releasers
}

/** Creates the table of operations. */
export function createOperationTable(context: Context): OperationTable {
  const { store } = context
  return {
    insert: (sql, job) => insert(context, sql, job),
    find: (tenantId, operationId, owner) => find(store, { tenantId, operationId }, owner),
    cancel: (key, sql) => cancel(context, key, sql),
    lease: (names, limit) => lease(context, names, limit),
    renew: (leases) => renew(context, leases),
    progress: (held, value) => progress(context, held, value),
    finish: (held, work) => finish(context, held, work),
    settle: (held, outcome) => settleAlone(context, { held, outcome }),
    retryIn: (held, seconds) => letGo(context, held, { seconds, attempt: held.attempt }),
    giveBack: (held) => letGo(context, held, { seconds: 0, attempt: held.attempt - 1 }),
  }
}

async function insert({ clock }: Context, sql: Sql, job: Job): Promise<string> {
  const { tenantId, operation, requester, issuer } = job.scope
  const { subject: person, issuer: personIssuer } = job.requestedFor ?? {}
  assertStorable({ tenant: tenantId, operation, requester, issuer: issuer ?? '' })
  assertStorable({ person: person ?? '', 'issuer of the person': personIssuer ?? '' })
  const operationId = randomUUID()
  await sql.query(
    `INSERT INTO agentic_operations (tenant_id, operation_id, operation, requester, issuer, requested_for,
       requested_for_issuer, state, job, available_at, created_at, updated_at)
     VALUES ($2, $3, $4, $5, $6, $7, $8, 'working', $9, ${NOW}, ${NOW}, ${NOW})`,
    [
      clock(),
      tenantId,
      operationId,
      operation,
      requester,
      issuer ?? null,
      person ?? null,
      personIssuer ?? null,
      JSON.stringify(job),
    ],
  )
  return operationId
}

interface StatusRow {
  readonly state: OperationState
  readonly created_at: Date
  readonly updated_at: Date
  readonly progress: string | null
  readonly outcome: string | null
}

interface OwnedRow extends StatusRow {
  readonly requester: string | null
  readonly issuer: string | null
  readonly requested_for: string | null
  readonly requested_for_issuer: string | null
  /** Only where the column `requester` is empty. */
  readonly older_job: string | null
}

async function find(
  store: Store,
  { tenantId, operationId }: OperationKey,
  owner: Principal | undefined,
): Promise<OperationStatus | undefined> {
  if (!isStorable(tenantId) || !isStorable(operationId)) return undefined
  const [row] = await store.query<OwnedRow>(
    `SELECT state, created_at, updated_at, progress, outcome, requester, issuer, requested_for, requested_for_issuer,
       CASE WHEN requester IS NULL THEN job END AS older_job
     FROM agentic_operations WHERE tenant_id = $1 AND operation_id = $2`,
    [tenantId, operationId],
  )
  if (row === undefined || (owner !== undefined && !isOwnedBy(row, owner))) return undefined
  return toStatus(operationId, row)
}

function isOwnedBy(row: OwnedRow, caller: Principal): boolean {
  if (isOwner(requesterOf(row), caller)) return true
  const { requested_for: person, requested_for_issuer: issuer } = row
  return person !== null && isOwner(keptPrincipal(person, issuer), caller)
}

/** The requester. Rows of versions before the column have it only in the job. */
function requesterOf({ requester, issuer, older_job }: OwnedRow): Principal {
  if (older_job === null) return keptPrincipal(requester, issuer)
  return principalOf((JSON.parse(older_job) as Job).scope)
}

function toStatus(operationId: string, row: StatusRow): OperationStatus {
  return {
    operationId,
    status: row.state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    ...(row.progress !== null && { progress: JSON.parse(row.progress) as unknown }),
    ...(row.outcome !== null && { outcome: JSON.parse(row.outcome) as Outcome }),
  }
}

const cancelledOutcome: Outcome = {
  type: 'error',
  code: 'OPERATION_CANCELLED',
  message: 'The operation was cancelled.',
}

async function cancel(context: Context, key: OperationKey, sql: Sql | undefined): Promise<Cancellation> {
  if (!isStorable(key.tenantId) || !isStorable(key.operationId)) return 'unknown'
  if (sql !== undefined) return cancelInside(context, sql, key)
  return context.store.transaction((own) => cancelInside(context, own, key))
}

/** A started run may have an effect outside the store, so its approval counts as used. */
async function cancelInside(context: Context, sql: Sql, key: OperationKey): Promise<Cancellation> {
  const { tenantId, operationId } = key
  const [row] = await sql.query<Pick<LeaseRow, 'job' | 'attempts'> & Pick<StatusRow, 'state'>>(
    `SELECT state, job, attempts FROM agentic_operations WHERE tenant_id = $1 AND operation_id = $2 FOR UPDATE`,
    [tenantId, operationId],
  )
  if (row === undefined) return 'unknown'
  if (row.state !== 'working' && row.state !== 'input_required') return 'final'
  await sql.query(
    `UPDATE agentic_operations SET state = 'cancelled', outcome = $4, updated_at = ${NOW}
     WHERE tenant_id = $2 AND operation_id = $3`,
    [context.clock(), tenantId, operationId, JSON.stringify(cancelledOutcome)],
  )
  const job = JSON.parse(row.job) as Job
  const end = row.attempts > 0 ? 'redeemed' : 'approved'
  if (job.approvalId !== undefined) await endHold(sql, { ...key, approvalId: job.approvalId }, end)
  // In the state input_required it was released before.
  if (row.state === 'working') await release(context, sql, { ...key, job, status: 'cancelled' })
  return 'cancelled'
}

interface Released extends OperationKey {
  readonly job: Job
  readonly status: OperationState
}

/** Releases the reservations of an operation, in the transaction that ends it. */
async function release({ releasers }: Context, sql: Sql, { operationId, job, status }: Released) {
  if (status === 'working' || status === 'completed') return
  const { scope, params } = job
  await releasers.get(scope.operation)?.({ operationId, tenant: scope.tenantId, params, status }, sql)
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
    `WITH due AS (
       SELECT tenant_id, operation_id FROM agentic_operations
       WHERE state = 'working' AND available_at <= ${NOW} AND operation = ANY ($3::text[])
       ORDER BY available_at LIMIT $4 FOR UPDATE SKIP LOCKED
     )
     UPDATE agentic_operations AS taken
     SET fence = fence + 1, attempts = attempts + 1, available_at = ${secondsFromNow('$2')}
     FROM due WHERE taken.tenant_id = due.tenant_id AND taken.operation_id = due.operation_id
     RETURNING taken.tenant_id, taken.operation_id, fence::text AS fence, attempts, job`,
    [clock(), leaseSeconds, names, limit],
  )
  return rows.map(toLease)
}

function toLease(row: LeaseRow): Lease {
  const job = JSON.parse(row.job) as Job
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
const IS_HELD = `tenant_id = $2 AND operation_id = $3 AND fence = $4::bigint AND state = 'working'`

function heldRow({ tenantId, operationId, fence }: Lease): readonly unknown[] {
  return [tenantId, operationId, fence]
}

async function progress({ store, clock }: Context, held: Lease, value: unknown): Promise<void> {
  const rows = await store.query(
    `UPDATE agentic_operations SET progress = $5, updated_at = ${NOW} WHERE ${IS_HELD} RETURNING tenant_id`,
    [clock(), ...heldRow(held), JSON.stringify(value)],
  )
  assertHeld(rows)
}

function assertHeld(rows: readonly unknown[]): void {
  if (rows.length === 0)
    throw new TakenOverError('the operation was cancelled or taken over by another worker')
}

/** Rolls a transaction back and carries its outcome. */
class RolledBackOutcome extends Error {
  override readonly name = 'RolledBackOutcome'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super('the outcome is not a success, so its transaction is rolled back')
    this.outcome = outcome
  }
}

async function finish(context: Context, held: Lease, work: (sql: Sql) => Promise<Outcome>): Promise<Outcome> {
  try {
    return await context.store.transaction((sql) => finishInside(context, sql, { held, work }))
  } catch (error) {
    if (error instanceof RolledBackOutcome) return error.outcome
    throw error
  }
}

interface Finishing {
  readonly held: Lease
  readonly work: (sql: Sql) => Promise<Outcome>
}

/** Locks the row first, so that the operation cannot be taken over or cancelled before the transaction ends. */
async function finishInside(context: Context, sql: Sql, { held, work }: Finishing): Promise<Outcome> {
  const lock = `SELECT tenant_id FROM agentic_operations WHERE tenant_id = $1 AND operation_id = $2
    AND fence = $3::bigint AND state = 'working' FOR UPDATE`
  assertHeld(await sql.query(lock, heldRow(held)))
  const outcome = await work(sql)
  if (stateOf(outcome) !== 'completed') throw new RolledBackOutcome(outcome)
  await settle(context, sql, { held, outcome })
  return outcome
}

interface Settlement {
  readonly held: Lease
  readonly outcome: Outcome
}

/** Settles with one statement if possible, otherwise in a transaction. */
function settleAlone(context: Context, settlement: Settlement): Promise<void> {
  const { outcome, held } = settlement
  const { approvalId, scope } = held.job
  const isOne = approvalId === undefined && !context.releasers.has(scope.operation)
  if (isOne && stateOf(outcome) !== 'input_required') return settle(context, context.store, settlement)
  return context.store.transaction((sql) => settle(context, sql, settlement))
}

async function settle(context: Context, sql: Sql, { held, outcome }: Settlement): Promise<void> {
  const state = stateOf(outcome)
  const rows = await sql.query(
    `UPDATE agentic_operations SET state = $5, outcome = $6, updated_at = ${NOW} WHERE ${IS_HELD} RETURNING tenant_id`,
    [context.clock(), ...heldRow(held), state, JSON.stringify(outcome)],
  )
  if (rows.length === 0) return
  if (state === 'input_required') await freeKey(sql, held)
  await settleApproval(sql, held, state)
  await release(context, sql, { ...held, status: state })
}

/** Only an effect redeems an approval (decision 13). Without one it stays valid for a retry. */
async function settleApproval(sql: Sql, { tenantId, operationId, job }: Lease, state: OperationState) {
  const { approvalId } = job
  if (approvalId === undefined) return
  await endHold(sql, { tenantId, operationId, approvalId }, state === 'completed' ? 'redeemed' : 'approved')
}

/** Frees the idempotency key: there was no effect, so the answers may be sent with the same key (decision 30). */
async function freeKey(sql: Sql, { tenantId, operationId, job }: Lease): Promise<void> {
  if (job.idempotencyKey === undefined) return
  await sql.query(
    `DELETE FROM agentic_idempotency
     WHERE tenant_id = $1 AND operation = $2 AND key_hash = $3 AND operation_id = $4`,
    [tenantId, job.scope.operation, sha256(job.idempotencyKey), operationId],
  )
}

/** The state of an operation with this outcome. */
export function stateOf({ type }: Outcome): OperationState {
  switch (type) {
    case 'success':
    case 'created':
    case 'accepted':
      return 'completed'
    case 'clarification_required':
    case 'approval_required':
      return 'input_required'
    case 'validation_failed':
    case 'forbidden':
    case 'conflict':
    case 'failed_dependency':
    case 'error':
      return 'failed'
  }
}

/** Gives an operation back. The higher fence rejects late writes of the old run. */
async function letGo({ store, clock }: Context, held: Lease, next: { seconds: number; attempt: number }) {
  await store.query(
    `UPDATE agentic_operations SET available_at = ${secondsFromNow('$5')}, attempts = $6, fence = fence + 1
     WHERE ${IS_HELD}`,
    [clock(), ...heldRow(held), next.seconds, next.attempt],
  )
}
