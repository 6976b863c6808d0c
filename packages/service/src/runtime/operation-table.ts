import { randomUUID } from 'node:crypto'
import type { Outcome } from '@agentic-rest/profile'
import { parseOwnJson } from '@agentic-rest/profile'
import type { Job, OperationState, OperationStatus, Releasers } from './contract.ts'
import { assertStorable, isStorable } from './key-text.ts'
import { assertWithinLimit, HAS_ROOM, OpenLimitError } from './open-limit.ts'
import { createOperationEnds, type OperationEnds } from './operation-ends.ts'
import { createOperationLeases, type OperationKey, type OperationLeases } from './operation-leases.ts'
import { isOwner, keptPrincipal, type Principal, principalOf } from './principal.ts'
import { NOW, type SqlClock } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'

/** The operations of all tenants, for workers. */
export interface OperationTable extends OperationLeases, OperationEnds {
  /** Throws `OpenLimitError` if the tenant has no room for another operation. */
  insert(sql: Sql, job: Job): Promise<string>
  /** Throws `OpenLimitError` if the transaction has inserted too many. */
  assertWithinLimit(sql: Sql, tenantId: string): Promise<void>
  /** With an `owner`, only if it is the requester or the person behind it. */
  find(tenantId: string, operationId: string, owner?: Principal): Promise<OperationStatus | undefined>
}

interface Context {
  readonly store: Store
  readonly clock: SqlClock
  readonly leaseSeconds: number
  readonly maxOpenPerTenant: number
  readonly releasers: Releasers
}

/** Creates the table of operations. */
export function createOperationTable(context: Context): OperationTable {
  const { store, maxOpenPerTenant } = context
  return {
    ...createOperationLeases(context),
    ...createOperationEnds(context),
    insert: (sql, job) => insert(context, sql, job),
    assertWithinLimit: (sql, tenantId) => assertWithinLimit(sql, tenantId, maxOpenPerTenant),
    find: (tenantId, operationId, owner) => find(store, { tenantId, operationId }, owner),
  }
}

async function insert({ clock, maxOpenPerTenant }: Context, sql: Sql, job: Job): Promise<string> {
  const { tenantId, operation, requester, issuer } = job.scope
  const { subject: person, issuer: personIssuer } = job.requestedFor ?? {}
  assertStorable({ tenant: tenantId, operation, requester, issuer: issuer ?? '' })
  assertStorable({ person: person ?? '', 'issuer of the person': personIssuer ?? '' })
  const operationId = randomUUID()
  const rows = await sql.query(
    `INSERT INTO agentic_operations (tenant_id, operation_id, operation, requester, issuer, requested_for,
       requested_for_issuer, state, job, available_at, created_at, updated_at)
     SELECT $2, $3, $4, $5, $6, $7, $8, 'working', $9, ${NOW}, ${NOW}, ${NOW} WHERE ${HAS_ROOM}
     RETURNING operation_id`,
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
      maxOpenPerTenant,
    ],
  )
  if (rows.length === 0) throw new OpenLimitError(maxOpenPerTenant)
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
  return principalOf((parseOwnJson(older_job) as Job).scope)
}

function toStatus(operationId: string, row: StatusRow): OperationStatus {
  return {
    operationId,
    status: row.state,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    ...(row.progress !== null && { progress: parseOwnJson(row.progress) as unknown }),
    ...(row.outcome !== null && { outcome: parseOwnJson(row.outcome) as Outcome }),
  }
}
