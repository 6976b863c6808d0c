import { OUTBOX_TABLE } from './approvals/outbox.ts'
import { DECISION_TABLES, SALT_COLUMN } from './approvals/tables.ts'
import { LEASE_FUNCTION } from './lease-function.ts'
import { OPEN_FUNCTION } from './open-limit.ts'
import type { OwnTables, Sql, Store } from './store.ts'

// Any number, but the same one in every process and version.
const MIGRATION_LOCK = 7_296_041_533

/**
 * Applies and records the missing migrations in one transaction. With several processes, one migrates and the others
 * wait. A newer database is not changed: an older process may start while newer ones run.
 */
export async function migrate(transaction: Store['transaction'], own?: OwnTables): Promise<void> {
  await transaction(async function applyMigrations(sql) {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    const applied = await readApplied(sql)
    const missing = migrations.filter(({ version }) => !applied.has(version))
    for (const { version, name, statements } of missing) {
      for (const statement of statements) await sql.query(statement)
      await sql.query('INSERT INTO agentic_migrations (version, name) VALUES ($1, $2)', [version, name])
    }
    if (own !== undefined) await applyOwn(sql, own)
  })
}

async function applyOwn(sql: Sql, { owner, steps }: OwnTables): Promise<void> {
  const applied = await sql.query<{ name: string }>(
    'SELECT name FROM agentic_own_migrations WHERE owner = $1 ORDER BY version',
    [owner],
  )
  for (const [index, { name, apply }] of steps.entries()) {
    const known = applied[index]?.name
    if (known === name) continue
    if (known !== undefined)
      throw new TypeError(`step ${index + 1} of ${owner} is "${known}" in the store, and not "${name}"`)
    await apply(sql)
    await sql.query('INSERT INTO agentic_own_migrations (owner, version, name) VALUES ($1, $2, $3)', [
      owner,
      index + 1,
      name,
    ])
  }
}

async function readApplied(sql: Sql): Promise<ReadonlySet<number>> {
  // Checked first, so that a database user without the right to create tables can start a migrated service.
  const [known] = await sql.query<{ exists: boolean }>(
    "SELECT to_regclass('agentic_migrations') IS NOT NULL AS exists",
  )
  if (!known?.exists) await sql.query(MIGRATIONS_TABLE)
  const rows = await sql.query<{ version: number }>('SELECT version FROM agentic_migrations')
  return new Set(rows.map(({ version }) => version))
}

const MIGRATIONS_TABLE = `CREATE TABLE agentic_migrations (
  version integer PRIMARY KEY,
  name text NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`

/** One migration of the runtime's tables. A released migration never changes. */
interface Migration {
  readonly version: number
  readonly name: string
  readonly statements: readonly string[]
}

/** All migrations, oldest first. Every key has a tenant column, so that tenants cannot see each other's data. */
export const migrations: readonly Migration[] = [
  {
    version: 1,
    name: 'idempotency keys',
    statements: [
      'CREATE SEQUENCE agentic_fence',
      `CREATE TABLE agentic_idempotency (
        tenant_id text NOT NULL,
        operation text NOT NULL,
        key_hash text NOT NULL,
        fence bigint NOT NULL,
        lease_until timestamptz NOT NULL,
        requester text,
        fingerprint text,
        stored text,
        operation_id text,
        expires_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, operation, key_hash),
        CHECK ((stored IS NULL) = (fingerprint IS NULL) AND (stored IS NULL) = (requester IS NULL))
      )`,
      'CREATE INDEX agentic_idempotency_expiry ON agentic_idempotency (expires_at)',
    ],
  },
  {
    version: 2,
    name: 'operations',
    statements: [
      `CREATE TABLE agentic_operations (
        tenant_id text NOT NULL,
        operation_id text NOT NULL,
        operation text NOT NULL,
        state text NOT NULL CHECK (state IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
        job text NOT NULL,
        progress text,
        outcome text,
        attempts integer NOT NULL DEFAULT 0,
        fence bigint NOT NULL DEFAULT 0,
        available_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, operation_id),
        CHECK ((state = 'working') = (outcome IS NULL))
      )`,
      `CREATE INDEX agentic_operations_due ON agentic_operations (available_at) WHERE state = 'working'`,
      `CREATE INDEX agentic_operations_age ON agentic_operations (updated_at) WHERE state <> 'working'`,
      `CREATE FUNCTION agentic_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'the state % of % is final', OLD.state, TG_TABLE_NAME USING ERRCODE = 'check_violation';
        END
      $$`,
      `CREATE TRIGGER agentic_operations_final BEFORE UPDATE ON agentic_operations FOR EACH ROW
        WHEN (OLD.state IN ('completed', 'failed', 'cancelled')) EXECUTE FUNCTION agentic_refuse_change()`,
    ],
  },
  {
    version: 3,
    name: 'approvals',
    statements: [
      `CREATE TABLE agentic_approvals (
        tenant_id text NOT NULL,
        approval_id text NOT NULL,
        operation text NOT NULL,
        requester text NOT NULL,
        digest text NOT NULL,
        role text NOT NULL,
        message text NOT NULL,
        approver text NOT NULL,
        state text NOT NULL CHECK (state IN ('pending', 'approved', 'rejected', 'redeemed', 'expired')),
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        decided_by text,
        PRIMARY KEY (tenant_id, approval_id),
        CHECK (decided_by <> requester)
      )`,
      `CREATE UNIQUE INDEX agentic_approvals_open
        ON agentic_approvals (tenant_id, operation, requester, digest, role) WHERE state IN ('pending', 'approved')`,
      'CREATE INDEX agentic_approvals_expiry ON agentic_approvals (expires_at)',
      `CREATE TRIGGER agentic_approvals_final BEFORE UPDATE ON agentic_approvals FOR EACH ROW
        WHEN (OLD.state IN ('rejected', 'redeemed', 'expired')) EXECUTE FUNCTION agentic_refuse_change()`,
      `CREATE TABLE agentic_approval_tokens (
        tenant_id text NOT NULL,
        token_hash text NOT NULL,
        approval_id text NOT NULL,
        number bigint GENERATED ALWAYS AS IDENTITY,
        PRIMARY KEY (tenant_id, token_hash),
        FOREIGN KEY (tenant_id, approval_id) REFERENCES agentic_approvals ON DELETE CASCADE
      )`,
      'CREATE INDEX agentic_approval_tokens_by_approval ON agentic_approval_tokens (tenant_id, approval_id, number)',
    ],
  },
  {
    version: 4,
    name: 'reservations of approvals',
    statements: [
      // `fence` and `reserved_until` belong to a request; `held_by` is the background operation that holds the approval.
      `ALTER TABLE agentic_approvals ADD COLUMN fence bigint, ADD COLUMN reserved_until timestamptz,
        ADD COLUMN held_by text`,
    ],
  },
  {
    version: 5,
    name: 'steps of the tables of services',
    statements: [
      `CREATE TABLE agentic_own_migrations (
        owner text NOT NULL,
        version integer NOT NULL,
        name text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (owner, version)
      )`,
    ],
  },
  {
    version: 6,
    name: 'the person behind a requester',
    statements: [
      `ALTER TABLE agentic_approvals ADD COLUMN requested_for text, ADD CHECK (decided_by <> requested_for)`,
    ],
  },
  {
    version: 7,
    name: 'issuers of callers',
    statements: [
      // NULL: no issuer was named. Then the subject alone decides (decision 36).
      'ALTER TABLE agentic_idempotency ADD COLUMN issuer text',
      'ALTER TABLE agentic_operations ADD COLUMN requester text, ADD COLUMN issuer text',
      // The name that PostgreSQL gave to CHECK (decided_by <> requester) of version 3.
      `ALTER TABLE agentic_approvals ADD COLUMN requester_issuer text, ADD COLUMN decided_by_issuer text,
        DROP CONSTRAINT agentic_approvals_check, ADD CONSTRAINT agentic_approvals_two_people CHECK (
          decided_by <> requester OR (
            requester_issuer IS NOT NULL AND decided_by_issuer IS NOT NULL AND requester_issuer <> decided_by_issuer
          )
        )`,
    ],
  },
  {
    version: 8,
    name: 'owners of operations',
    statements: [
      'ALTER TABLE agentic_operations ADD COLUMN requested_for text, ADD COLUMN requested_for_issuer text',
      // The name that PostgreSQL gave to the check of version 6.
      `ALTER TABLE agentic_approvals ADD COLUMN requested_for_issuer text, DROP CONSTRAINT agentic_approvals_check1,
        ADD CONSTRAINT agentic_approvals_not_for_oneself CHECK (
          decided_by <> requested_for OR (
            requested_for_issuer IS NOT NULL AND decided_by_issuer IS NOT NULL
            AND requested_for_issuer <> decided_by_issuer
          )
        )`,
    ],
  },
  {
    version: 9,
    name: 'fair leases and open operations per tenant',
    statements: [
      // Whether the operation runs until `available_at`, or waits until then.
      'ALTER TABLE agentic_operations ADD COLUMN leased boolean NOT NULL DEFAULT false',
      // With a collation of their own, so that no statement about one operation uses them instead of the primary key.
      `CREATE INDEX agentic_operations_open ON agentic_operations (tenant_id COLLATE "C", available_at)
        WHERE state = 'working'`,
      `CREATE INDEX agentic_operations_running ON agentic_operations (tenant_id COLLATE "C", available_at)
        WHERE state = 'working' AND leased`,
      // The tenant of the last lease, by the first operation of a service. The lock of `agentic_lease` keeps it unique.
      'CREATE TABLE agentic_turns (operation text NOT NULL, tenant_id text NOT NULL)',
      LEASE_FUNCTION,
      OPEN_FUNCTION,
    ],
  },
  { version: 10, name: 'requests and decisions of approvals', statements: DECISION_TABLES },
  { version: 11, name: 'notifications of approvals', statements: OUTBOX_TABLE },
  { version: 12, name: 'salts of shown digests', statements: SALT_COLUMN },
]
