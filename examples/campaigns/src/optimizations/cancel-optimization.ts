import { defineOperation, type Operation, type Store, success } from '@agentic-rest/service'
import { alreadyFinal, noOptimization, optimizationBody } from './optimization.ts'
import { cancelOptimization, findOptimization } from './optimization-table.ts'

/** `POST /campaigns/{campaignId}/optimizations/{optimizationId}/cancel`. */
export function cancelOptimizationOperation(store: Store): Operation {
  return defineOperation({
    id: 'cancel-optimization',
    method: 'POST',
    path: '/campaigns/{campaignId}/optimizations/{optimizationId}/cancel',
    summary: 'Cancels an optimization that has not ended.',
    output: { success: optimizationBody },
    outcomes: ['success', 'conflict'],
    async run({ tenant, params: { campaignId, optimizationId: id } }) {
      const key = { tenant, campaignId, id }
      const cancelled = await cancelOptimization(store, key)
      if (cancelled !== undefined) return success(cancelled)
      const found = await findOptimization(store, key)
      return found === undefined ? noOptimization() : alreadyFinal(id)
    },
  })
}
