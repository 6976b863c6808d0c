import type { Sql } from '@agentic-rest/service'

/** A product of one tenant. */
export interface ProductKey {
  readonly tenant: string
  readonly productId: string
}

/** The stock in one warehouse. */
export interface Place {
  readonly warehouse: string
  readonly city: string
  readonly online: boolean
  readonly onHand: number
  readonly reserved: number
}

/** A product with its stock. */
export interface StoredProduct {
  readonly exportControlled: boolean
  readonly places: readonly Place[]
}

/** Reads a product with the stock of all warehouses. */
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

/** The stock without reservations. */
export function availableAt({ onHand, reserved }: Place): number {
  return Math.max(0, onHand - reserved)
}
