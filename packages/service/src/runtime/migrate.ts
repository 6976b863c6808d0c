import { migrations } from './migrations.ts'
import type { OwnTables, Sql, Store } from './store.ts'

// Any number, as long as every process of every version takes the same one.
const MIGRATION_LOCK = 7_296_041_533

/**
 * Applies what is missing, in one transaction, and records it. Of several processes one does the work and the others
 * wait for it. A database that is ahead of this code is left alone: an older process may start while newer ones run.
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
  // Asked first, so that a database user who may not make tables can start a service whose tables are there.
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
