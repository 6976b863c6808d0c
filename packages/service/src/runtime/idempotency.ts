import type { Outcome } from '@agentic-rest/profile'
import { parseOwnJson } from '@agentic-rest/profile'
import type { Claim, Idempotency, RuntimeOptions, Scope, StoredOutcome } from './contract.ts'
import { assertStorable, sha256 } from './key-text.ts'
import { isOwner, keptPrincipal, principalOf } from './principal.ts'
import { createSqlClock, NOW, type SqlClock, secondsFromNow } from './sql-clock.ts'
import type { Sql, Store } from './store.ts'
import { TakenOverError } from './store.ts'
import { createSweeper, sweep } from './sweep.ts'

/** The lifetimes of keys. */
export interface IdempotencyOptions extends RuntimeOptions {
  /** The time the outcome of a key is stored; 24 hours by default (decision 30). */
  readonly keepSeconds?: number
}

// The key of a dead process is free after this time. A live process renews its lease three times within it.
const LEASE_SECONDS = 30
const KEEP_SECONDS = 24 * 60 * 60
// The holder can delete the row between two statements. More often than this is not a coincidence.
const ATTEMPTS = 3

interface Keys {
  readonly store: Store
  readonly clock: SqlClock
  readonly leaseSeconds: number
  readonly keepSeconds: number
}

interface HeldKey {
  readonly scope: Scope
  readonly keyHash: string
  readonly fingerprint: string
}

/** Creates the idempotency keys of a service. */
export function createIdempotency(store: Store, options: IdempotencyOptions = {}): Idempotency {
  const { leaseSeconds = LEASE_SECONDS, keepSeconds = KEEP_SECONDS } = options
  const keys: Keys = { store, clock: createSqlClock(options), leaseSeconds, keepSeconds }
  const sweepWhenDue = createSweeper(() => sweepIdempotency(store, options))
  return {
    async claim(scope, key, fingerprint) {
      const { tenantId: tenant, operation, requester, issuer = '' } = scope
      assertStorable({ tenant, operation, requester, issuer })
      sweepWhenDue()
      // The hash of a key of any length and characters fits into the index.
      return claim(keys, { scope, keyHash: sha256(key), fingerprint })
    },
  }
}

/** Removes a batch of expired keys; resolves with their number. */
export function sweepIdempotency(store: Store, options: RuntimeOptions = {}): Promise<number> {
  return sweep(store, createSqlClock(options), {
    table: 'agentic_idempotency',
    key: 'tenant_id, operation, key_hash',
    isOld: (now) => `expires_at <= ${now} AND lease_until <= ${now}`,
  })
}

async function claim(keys: Keys, held: HeldKey): Promise<Claim> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const fence = await take(keys, held)
    if (fence !== undefined) return createClaim(keys, held, fence)
    const found = await find(keys, held)
    if (found !== undefined) return found
  }
  return { kind: 'in_progress' }
}

/** One statement decides which of several concurrent claims gets the row. */
async function take({ store, clock, leaseSeconds, keepSeconds }: Keys, { scope, keyHash }: HeldKey) {
  const rows = await store.query<{ fence: string }>(
    `INSERT INTO agentic_idempotency AS kept (tenant_id, operation, key_hash, fence, lease_until, expires_at)
     VALUES ($4, $5, $6, nextval('agentic_fence'), ${secondsFromNow('$2')}, ${secondsFromNow('$3')})
     ON CONFLICT (tenant_id, operation, key_hash) DO UPDATE
     SET fence = excluded.fence, lease_until = excluded.lease_until, expires_at = excluded.expires_at,
         requester = NULL, issuer = NULL, fingerprint = NULL, stored = NULL, operation_id = NULL
     WHERE CASE WHEN kept.stored IS NULL THEN kept.lease_until <= ${NOW} ELSE kept.expires_at <= ${NOW} END
     RETURNING fence::text AS fence`,
    [clock(), leaseSeconds, keepSeconds, scope.tenantId, scope.operation, keyHash],
  )
  return rows[0]?.fence
}

interface KeptRow {
  readonly stored: string | null
  readonly requester: string | null
  readonly issuer: string | null
  readonly same: boolean | null
}

async function find({ store }: Keys, { scope, keyHash, fingerprint }: HeldKey): Promise<Claim | undefined> {
  const [row] = await store.query<KeptRow>(
    `SELECT stored, requester, issuer, fingerprint = $4 AS same FROM agentic_idempotency
     WHERE tenant_id = $1 AND operation = $2 AND key_hash = $3`,
    [scope.tenantId, scope.operation, keyHash, fingerprint],
  )
  if (row === undefined) return undefined
  if (row.stored === null) return { kind: 'in_progress' }
  const isOwn = isOwner(keptPrincipal(row.requester, row.issuer), principalOf(scope))
  if (!row.same || !isOwn) return { kind: 'mismatch' }
  return { kind: 'replay', stored: parseOwnJson(row.stored) as StoredOutcome }
}

interface Completion {
  readonly held: HeldKey
  readonly fence: string
  readonly stored: StoredOutcome
}

function createClaim(keys: Keys, held: HeldKey, fence: string): Claim {
  const heartbeat = setInterval(() => renew(keys, held, fence).catch(ignore), (keys.leaseSeconds * 1000) / 3)
  heartbeat.unref()
  return {
    kind: 'claimed',
    async complete(sql, stored) {
      // The claim ends with this transaction, committed or not.
      clearInterval(heartbeat)
      await complete(keys, sql, { held, fence, stored })
    },
    async release() {
      clearInterval(heartbeat)
      const text = `DELETE FROM agentic_idempotency WHERE ${isHeld(1)}`
      await keys.store.query(text, heldKey(held, fence))
    },
  }
}

/** A failed renewal is ignored: the lease expires, and the fence rejects a late effect. */
function ignore(): void {}

async function renew({ store, clock, leaseSeconds }: Keys, held: HeldKey, fence: string): Promise<void> {
  await store.query(
    `UPDATE agentic_idempotency SET lease_until = ${secondsFromNow('$2')} WHERE ${isHeld(3)}`,
    [clock(), leaseSeconds, ...heldKey(held, fence)],
  )
}

async function complete(
  { clock, keepSeconds }: Keys,
  sql: Sql,
  { held, fence, stored }: Completion,
): Promise<void> {
  const { outcome } = stored
  assertKept(outcome)
  const rows = await sql.query(
    `UPDATE agentic_idempotency
     SET stored = $3, fingerprint = $4, requester = $5, issuer = $6, operation_id = $7,
       expires_at = ${secondsFromNow('$2')}
     WHERE ${isHeld(8)} RETURNING tenant_id`,
    [
      clock(),
      keepSeconds,
      JSON.stringify(stored),
      held.fingerprint,
      held.scope.requester,
      held.scope.issuer ?? null,
      outcome.type === 'accepted' ? outcome.operationId : null,
      ...heldKey(held, fence),
    ],
  )
  if (rows.length === 0) throw new TakenOverError('the idempotency key was taken over by another request')
}

/** Only outcomes with an effect are stored. Other requests may be clarified, approved or retried (decision 30). */
function assertKept({ type }: Outcome): void {
  if (type === 'success' || type === 'created' || type === 'accepted') return
  throw new TypeError(`an outcome of type ${type} is not kept`)
}

function isHeld(first: number): string {
  const [tenant, operation, key, fence] = [first, first + 1, first + 2, first + 3]
  const isRow = `tenant_id = $${tenant} AND operation = $${operation} AND key_hash = $${key}`
  return `${isRow} AND fence = $${fence}::bigint AND stored IS NULL`
}

function heldKey({ scope, keyHash }: HeldKey, fence: string): readonly unknown[] {
  return [scope.tenantId, scope.operation, keyHash, fence]
}
