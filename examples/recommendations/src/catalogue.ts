import type { Sql } from '@agentic-rest/service'
import type { Basket, RankedProduct } from './rank.ts'

/** The data for recommendations. */
export interface Catalogue {
  readonly products: ReadonlyMap<string, RankedProduct>
  readonly baskets: readonly Basket[]
}

// Only the latest orders: they are the most relevant, and they limit the computation.
const MAX_PRODUCTS = 2_000
const MAX_PURCHASES = 20_000

interface PurchaseRow {
  readonly orderId: string
  readonly customerId: string
  readonly productId: string
}

/** Reads the catalogue and the orders of a tenant. */
export async function readCatalogue(sql: Sql, tenant: string): Promise<Catalogue> {
  const products = await sql.query<RankedProduct>(
    `SELECT id, name, category, price_cents AS "priceCents" FROM products WHERE tenant = $1
     ORDER BY id LIMIT ${MAX_PRODUCTS}`,
    [tenant],
  )
  const purchases = await sql.query<PurchaseRow>(
    `SELECT order_id AS "orderId", customer_id AS "customerId", product_id AS "productId" FROM purchases
     WHERE tenant = $1 ORDER BY order_id DESC, product_id LIMIT ${MAX_PURCHASES}`,
    [tenant],
  )
  return {
    products: new Map(products.map((product) => [product.id, product])),
    baskets: toBaskets(purchases),
  }
}

function toBaskets(purchases: readonly PurchaseRow[]): Basket[] {
  const byOrder = Map.groupBy(purchases, ({ orderId }) => orderId)
  return [...byOrder.values()].map((lines) => ({
    customerId: lines[0]?.customerId ?? '',
    productIds: lines.map(({ productId }) => productId),
  }))
}

/** Whether the tenant has a customer. */
export async function isCustomer(sql: Sql, tenant: string, customerId: string): Promise<boolean> {
  const rows = await sql.query('SELECT 1 FROM customers WHERE tenant = $1 AND id = $2', [tenant, customerId])
  return rows.length > 0
}

/** Stores a recommendation. */
export async function keepRecommendation(
  sql: Sql,
  tenant: string,
  body: { readonly id: string },
): Promise<void> {
  await sql.query('INSERT INTO recommendations (tenant, id, body) VALUES ($1, $2, $3)', [
    tenant,
    body.id,
    JSON.stringify(body),
  ])
}
