import type { MigrationStep, Sql, Store } from '@agentic-rest/service'
import { products, stockLines, warehouses } from './warehouse-data.ts'

const statements = [
  `CREATE TABLE IF NOT EXISTS warehouses (
    tenant text NOT NULL, id text NOT NULL, city text NOT NULL, online boolean NOT NULL,
    PRIMARY KEY (tenant, id))`,
  `CREATE TABLE IF NOT EXISTS stored_products (
    tenant text NOT NULL, id text NOT NULL, export_controlled boolean NOT NULL,
    PRIMARY KEY (tenant, id))`,
  `CREATE TABLE IF NOT EXISTS stock (
    tenant text NOT NULL, product_id text NOT NULL, warehouse_id text NOT NULL,
    on_hand integer NOT NULL, reserved integer NOT NULL,
    PRIMARY KEY (tenant, product_id, warehouse_id))`,
  `CREATE TABLE IF NOT EXISTS stock_checks (
    position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL, product_id text NOT NULL, warehouse_id text NOT NULL, available integer NOT NULL,
    checked_by text, requested_for text, idempotency_key text, correlation_id text NOT NULL,
    checked_at timestamptz NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS stock_checks_by_product ON stock_checks (tenant, product_id, position)`,
]

const steps: readonly MigrationStep[] = [
  {
    name: 'warehouses, their stock and the checks of it',
    async apply(sql) {
      for (const statement of statements) await sql.query(statement)
    },
  },
  {
    name: 'the first data',
    async apply(sql) {
      await fill(sql, 'warehouses', warehouses)
      await fill(sql, 'stored_products', products)
      await fill(sql, 'stock', stockLines)
    },
  },
]

/** Migrates the tables and inserts the first data once. Several processes may call it. */
export function prepareTables(store: Store): Promise<void> {
  return store.migrate({ owner: 'inventory', steps })
}

async function fill(sql: Sql, table: string, rows: readonly object[]): Promise<void> {
  await sql.query(
    `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, $1::json) ON CONFLICT DO NOTHING`,
    [JSON.stringify(rows)],
  )
}
