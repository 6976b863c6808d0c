import { created, defineOperation, type Operation, type Store } from '@agentic-rest/service'
import { z } from 'zod'
import { isCustomer, keepRecommendation, readCatalogue } from './catalogue.ts'
import { rankForCustomer } from './rank.ts'
import { limitInput, noSuch, recommendationList } from './recommendation.ts'

const customerBody = z.object({
  id: z.string(),
  customerId: z.string(),
  recommendations: recommendationList,
  createdAt: z.string(),
})

/** `POST /recommendations/{customerId}`: recommendations for a customer, from the orders of all customers. */
export function recommendForCustomer(store: Store): Operation {
  return defineOperation({
    id: 'recommend-for-customer',
    method: 'POST',
    path: '/recommendations/{customerId}',
    summary: 'Recommends products that a customer does not have yet.',
    input: z.object({
      customerId: z
        .string()
        .max(256)
        .meta({ examples: ['cus-1'] }),
      limit: limitInput,
    }),
    output: { created: customerBody },
    idempotent: true,
    async run({ tenant, input: { customerId, limit }, commit }) {
      if (!(await isCustomer(store, tenant, customerId))) return noSuch('customer')
      const ranked = rankForCustomer(customerId, await readCatalogue(store, tenant))
      const body = {
        id: `rec-${crypto.randomUUID()}`,
        customerId,
        recommendations: ranked.slice(0, limit),
        createdAt: new Date().toISOString(),
      }
      return commit(async (sql) => {
        await keepRecommendation(sql, tenant, body)
        return created(body)
      })
    },
  })
}
