import type { Outcome } from '@agentic-rest/profile'
import { parseOwnJson } from '@agentic-rest/profile'
import { endHold } from './approvals/reservation.ts'
import type { Cancellation, Job, OperationState, Releasers } from './contract.ts'
import { isStorable, sha256 } from './key-text.ts'
import { assertHeld, heldRow, IS_HELD, type Lease, type OperationKey } from './operation-leases.ts'
import { NOW, type SqlClock } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'

/** The ends of operations, with everything that ends with them: approvals, keys and reservations. */
export interface OperationEnds {
  /** Uses its own transaction unless `sql` is given. */
  cancel(key: OperationKey, sql?: Sql): Promise<Cancellation>
  /** Runs `work` with the operation locked, and stores its outcome in the same transaction. */
  finish(lease: Lease, work: (sql: Sql) => Promise<Outcome>): Promise<Outcome>
  /** Stores an outcome; does nothing if the lease is lost. */
  settle(lease: Lease, outcome: Outcome): Promise<void>
}

interface Context {
  readonly store: Store
  readonly clock: SqlClock
  readonly releasers: Releasers
}

/** Creates the ends of operations on a store. */
export function createOperationEnds(context: Context): OperationEnds {
  return {
    cancel: (key, sql) => cancel(context, key, sql),
    finish: (held, work) => finish(context, held, work),
    settle: (held, outcome) => settleAlone(context, { held, outcome }),
  }
}

const cancelledOutcome: Outcome = {
  type: 'error',
  code: 'OPERATION_CANCELLED',
  message: 'The operation was cancelled.',
}

interface CancelRow {
  readonly state: OperationState
  readonly job: string
  readonly attempts: number
}

async function cancel(context: Context, key: OperationKey, sql: Sql | undefined): Promise<Cancellation> {
  if (!isStorable(key.tenantId) || !isStorable(key.operationId)) return 'unknown'
  if (sql !== undefined) return cancelInside(context, sql, key)
  return context.store.transaction((own) => cancelInside(context, own, key))
}

/** A started run may have an effect outside the store, so its approval counts as used. */
async function cancelInside(context: Context, sql: Sql, key: OperationKey): Promise<Cancellation> {
  const { tenantId, operationId } = key
  const [row] = await sql.query<CancelRow>(
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
  const job = parseOwnJson(row.job) as Job
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
