import {
  created,
  defineOperation,
  type InputOf,
  type Operation,
  type RunContext,
  type Store,
} from '@agentic-rest/service'
import { z } from 'zod'
import { askInventory } from './ask-inventory.ts'
import { keepRecommendation, readCatalogue } from './catalogue.ts'
import { rankForProduct } from './rank.ts'
import { limitInput, noSuch, recommendationList } from './recommendation.ts'

const productInput = z.object({
  productId: z.string().max(256),
  shipFrom: z.string().max(256).optional().describe('Which warehouse is it to come from?'),
  limit: limitInput,
})

const productBody = z.object({
  id: z.string(),
  productId: z.string(),
  shipFrom: z.string(),
  stock: z.object({ warehouse: z.string(), available: z.int(), checkId: z.string() }),
  recommendations: recommendationList,
  createdAt: z.string(),
})

/** The options of the operation. */
export interface ForProductOptions {
  readonly store: Store
  /** The gateway of agent B. */
  readonly inventoryUrl: string
}

/** `POST /products/{productId}/recommendations`: recommendations for a product, depending on its stock. */
export function recommendForProduct(options: ForProductOptions): Operation {
  return defineOperation({
    id: 'create-recommendations',
    method: 'POST',
    path: '/products/{productId}/recommendations',
    summary: 'Recommends products that go with a product or replace it.',
    input: productInput,
    output: { created: productBody },
    idempotent: true,
    run: (context) => recommend(options, context),
  })
}

async function recommend(
  { store, inventoryUrl }: ForProductOptions,
  context: RunContext<InputOf<typeof productInput>>,
) {
  const { tenant, input, commit } = context
  const catalogue = await readCatalogue(store, tenant)
  const product = catalogue.products.get(input.productId)
  if (product === undefined) return noSuch('product')
  const asked = await askInventory(context, inventoryUrl, {
    productId: product.id,
    warehouse: input.shipFrom,
  })
  if (!asked.ok) return asked.outcome
  const { stock } = asked
  context.audit.set({ attributes: { warehouse: stock.warehouse, available: String(stock.available) } })
  const body = {
    id: `rec-${crypto.randomUUID()}`,
    productId: product.id,
    shipFrom: stock.warehouse,
    stock,
    recommendations: rankForProduct(product, catalogue, stock.available > 0).slice(0, input.limit),
    createdAt: new Date().toISOString(),
  }
  return commit(async (sql) => {
    await keepRecommendation(sql, tenant, body)
    return created(body)
  })
}
