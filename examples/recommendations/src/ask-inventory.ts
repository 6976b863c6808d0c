import { failedDependency, type Outcome, type RequestContext } from '@agentic-rest/service'
import { z } from 'zod'

/** The answer of the inventory agent for a product. */
export interface Stock {
  readonly warehouse: string
  readonly available: number
  readonly checkId: string
}

/** The stock of a product, or the outcome to answer with. */
export type AskedStock =
  | { readonly ok: true; readonly stock: Stock }
  | { readonly ok: false; readonly outcome: Outcome }

/** A request to the inventory. */
export interface StockQuestion {
  readonly productId: string
  readonly warehouse: string | undefined
}

const stockAnswer = z.object({ warehouse: z.string(), available: z.int(), checkId: z.string() })

/**
 * Calls agent B once per request: a second call with the same Idempotency-Key would be another request to the same
 * operation. The type of B's outcome reaches the caller. B's input `warehouse` is called `shipFrom` here.
 */
export async function askInventory(
  { call, propagate, subject, issuer }: RequestContext,
  inventoryUrl: string,
  { productId, warehouse }: StockQuestion,
): Promise<AskedStock> {
  const inner = await call({
    baseUrl: inventoryUrl,
    // Callers can reach the gateway of B, so they can decide an approval at its Location.
    publicUrl: inventoryUrl,
    method: 'GET',
    path: '/inventory/{productId}/stock',
    params: { productId },
    query: { warehouse },
    headers: {
      ...(subject !== undefined && { 'X-Requested-For': subject }),
      ...(issuer !== undefined && { 'X-Requested-For-Issuer': issuer }),
    },
  })
  if (inner.type !== 'success')
    return { ok: false, outcome: propagate(inner, { fields: { warehouse: 'shipFrom' } }) }
  const read = stockAnswer.safeParse(inner.body)
  return read.success ? { ok: true, stock: read.data } : unreadable
}

const unreadable: AskedStock = {
  ok: false,
  outcome: failedDependency({
    code: 'INVENTORY_INVALID_RESPONSE',
    message: 'The inventory does not say how much of the product is available.',
  }),
}
