import type { Sql, Store } from '../../../src/runtime/store.ts'

/** Makes the table that the effects of a test are counted in. Nothing in it keeps an effect from happening twice. */
export async function createEffects(store: Store): Promise<void> {
  await store.query('CREATE TABLE IF NOT EXISTS effects (tenant_id text NOT NULL, name text NOT NULL)')
}

/** Has an effect. */
export async function addEffect(sql: Sql, tenantId: string, name: string): Promise<void> {
  await sql.query('INSERT INTO effects VALUES ($1, $2)', [tenantId, name])
}

/** How often an effect has happened. */
export async function countEffects(sql: Sql, name: string): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM effects WHERE name = $1',
    [name],
  )
  return row?.count ?? 0
}
