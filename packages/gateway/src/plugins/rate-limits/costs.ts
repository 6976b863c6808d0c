import type { PriceOptions } from '../../config/config-schema.ts'
import type { Usage } from '../../exchange.ts'
import { createPrices } from '../../limits/usage/prices.ts'

/** Finds the cost of requests in millionths. */
export interface Costs {
  /** The cost of tokens before the answer is known; its output at the dearer price of the model. 0 only for a free one. */
  reserve(usage: Usage, model: string | undefined): number
  /** The cost of an answer; `asked` is the model of the request. */
  of(usage: Usage, asked: string | undefined): number
}

/**
 * Makes the costs of a price table. A model without a price costs as much as the dearest one: a name that a caller made
 * up must not be free.
 */
export function createCosts(table: readonly PriceOptions[]): Costs {
  const dearest = {
    model: '*',
    input: Math.max(0, ...table.map(({ input }) => input)),
    output: Math.max(0, ...table.map(({ output }) => output)),
  }
  const prices = createPrices([...table, dearest])
  // A request without a model gets the last row, which matches every name.
  const costOf = (usage: Usage, model: string) => prices.costMicro({ ...usage, model }) ?? 0
  return {
    // A model for embeddings has a price for input alone. A reservation of 0 would never be refused.
    reserve: ({ input, output }, model = '') =>
      Math.max(costOf({ input, output }, model), costOf({ input: input + output, output: 0 }, model)),
    of: (usage, asked = '') => costOf(usage, usage.model ?? asked),
  }
}
