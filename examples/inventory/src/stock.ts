import type { Sql } from '@agentic-rest/service'

/** A product of one tenant. */
export interface ProductKey {
  readonly tenant: string
  readonly productId: string
}

/** One warehouse that has the product. */
export interface Place {
  readonly warehouse: string
  readonly city: string
  readonly online: boolean
  readonly onHand: number
  readonly reserved: number
}

/** A product as the inventory knows it. */
export interface StoredProduct {
  readonly exportControlled: boolean
  readonly places: readonly Place[]
}

/** Reads a product with every place that has it; none when the tenant has no such product. */
export async function readProduct(
  sql: Sql,
  { tenant, productId }: ProductKey,
): Promise<StoredProduct | undefined> {
  const [product] = await sql.query<{ exportControlled: boolean }>(
    `SELECT export_controlled AS "exportControlled" FROM stored_products WHERE tenant = $1 AND id = $2`,
    [tenant, productId],
  )
  if (product === undefined) return undefined
  const places = await sql.query<Place>(
    `SELECT w.id AS warehouse, w.city, w.online, s.on_hand AS "onHand", s.reserved
     FROM stock s JOIN warehouses w ON w.tenant = s.tenant AND w.id = s.warehouse_id
     WHERE s.tenant = $1 AND s.product_id = $2 ORDER BY w.id`,
    [tenant, productId],
  )
  return { ...product, places }
}

/** What is stored and not promised to somebody. */
export function availableAt({ onHand, reserved }: Place): number {
  return Math.max(0, onHand - reserved)
}
