import { LimitCounts } from './limit-counts.ts'
import type { LimitStore } from './limit-store.ts'

/** Makes a store in this process alone. */
export function createMemoryStore(counts = new LimitCounts()): LimitStore {
  return {
    decide: (demands) => counts.decide(demands),
    settle(settlements) {
      for (const settlement of settlements) counts.settle(settlement)
    },
    peek: async (demands) => counts.decide(demands, false).standings,
    budgetUse: () => counts.budgetUse(),
    scope: () => 'shared',
    close: () => Promise.resolve(),
  }
}
