import type { Sql, Store } from '../../../src/runtime/store.ts'

/** Creates the table that counts effects. It has no constraint against repeated effects. */
export async function createEffects(store: Store): Promise<void> {
  await store.query('CREATE TABLE IF NOT EXISTS effects (tenant_id text NOT NULL, name text NOT NULL)')
}

/** Has an effect. */
export async function addEffect(sql: Sql, tenantId: string, name: string): Promise<void> {
  await sql.query('INSERT INTO effects VALUES ($1, $2)', [tenantId, name])
}

/** The number of times an effect has happened. */
export async function countEffects(sql: Sql, name: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM effects WHERE name = $1',
    [name],
  )
  return row?.count ?? 0
}
