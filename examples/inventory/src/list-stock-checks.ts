import { defineOperation, type Operation, type Store, success } from '@agentic-rest/service'
import { z } from 'zod'
import { noProduct } from './read-stock.ts'
import { readProduct } from './stock.ts'
import { listChecks } from './stock-checks.ts'

const MAX_PAGE = 100

const listInput = z.object({
  productId: z.string().max(256),
  limit: z.int().min(1).max(MAX_PAGE).default(MAX_PAGE),
  cursor: z.int().min(1).optional().describe('The `next` of the part before.'),
})

/** `GET /inventory/{productId}/stock-checks`: every stock check, the latest first. */
export function listStockChecks(store: Store): Operation {
  return defineOperation({
    id: 'list-stock-checks',
    method: 'GET',
    path: '/inventory/{productId}/stock-checks',
    summary: 'Lists the stock checks of a product.',
    input: listInput,
    async run({ tenant, input: { productId, limit, cursor } }) {
      if ((await readProduct(store, { tenant, productId })) === undefined) return noProduct()
      return success(await listChecks(store, { tenant, productId, limit, ...(cursor && { cursor }) }))
    },
  })
}
