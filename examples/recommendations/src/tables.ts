import type { Sql, Store } from '@agentic-rest/service'
import { firstData } from './catalogue-data.ts'

// Any number that every process of this service takes: one of them makes the tables, the others wait.
const TABLES_LOCK = 820_001

const statements = [
  `CREATE TABLE IF NOT EXISTS products (
    tenant text NOT NULL, id text NOT NULL, name text NOT NULL, category text NOT NULL,
    price_cents integer NOT NULL, PRIMARY KEY (tenant, id))`,
  `CREATE TABLE IF NOT EXISTS customers (tenant text NOT NULL, id text NOT NULL, PRIMARY KEY (tenant, id))`,
  `CREATE TABLE IF NOT EXISTS purchases (
    tenant text NOT NULL, order_id text NOT NULL, customer_id text NOT NULL, product_id text NOT NULL,
    PRIMARY KEY (tenant, order_id, product_id))`,
  `CREATE TABLE IF NOT EXISTS recommendations (
    tenant text NOT NULL, id text NOT NULL, body jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant, id))`,
]

/** Makes the tables and puts the first data in, where they are missing; what is there already is left as it is. */
export async function prepareTables(store: Store): Promise<void> {
  await store.migrate()
  await store.transaction(async (sql) => {
    await sql.query('SELECT pg_advisory_xact_lock($1)', [TABLES_LOCK])
    for (const statement of statements) await sql.query(statement)
    for (const tenant of firstData.keys()) await fillTenant(sql, tenant)
  })
}

async function fillTenant(sql: Sql, tenant: string): Promise<void> {
  const { products = [], customers = [], orders = [] } = firstData.get(tenant) ?? {}
  const purchases = orders.flatMap(({ id, customer_id, product_ids }) =>
    product_ids.map((product_id) => ({ tenant, order_id: id, customer_id, product_id })),
  )
  await fill(
    sql,
    'products',
    products.map((product) => ({ tenant, ...product })),
  )
  await fill(
    sql,
    'customers',
    customers.map((id) => ({ tenant, id })),
  )
  await fill(sql, 'purchases', purchases)
}

async function fill(sql: Sql, table: string, rows: readonly object[]): Promise<void> {
  await sql.query(
    `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json) ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  )
}
