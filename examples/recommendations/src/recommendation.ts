import { error } from '@agentic-rest/service'
import { z } from 'zod'

const USUAL_LENGTH = 3
const MAX_LENGTH = 10

/** The number of recommendations. */
export const limitInput = z.int().min(1).max(MAX_LENGTH).default(USUAL_LENGTH)

/** The recommendations in an answer, the best first. */
export const recommendationList = z.array(
  z.object({
    productId: z.string(),
    name: z.string(),
    priceCents: z.int(),
    reason: z.enum(['bought_together', 'same_category', 'popular']),
    score: z.number(),
  }),
)

/** The answer for an unknown resource. */
export function noSuch(thing: string) {
  return error({ code: 'NOT_FOUND', message: `There is no such ${thing}.`, condition: 'not_found' })
}
