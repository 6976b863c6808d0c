import type { MigrationStep, Sql, Store } from '@agentic-rest/service'
import { firstData } from './catalogue-data.ts'

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

const steps: readonly MigrationStep[] = [
  {
    name: 'the catalogue and what is recommended',
    async apply(sql) {
      for (const statement of statements) await sql.query(statement)
    },
  },
  {
    name: 'the first data',
    async apply(sql) {
      for (const tenant of firstData.keys()) await fillTenant(sql, tenant)
    },
  },
]

/** Migrates the tables and inserts the first data once. Several processes may call it. */
export function prepareTables(store: Store): Promise<void> {
  return store.migrate({ owner: 'recommendations', steps })
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
