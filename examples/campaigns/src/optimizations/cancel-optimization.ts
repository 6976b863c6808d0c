import { defineOperation, type Operation, type Outcome, success } from '@agentic-rest/service'
import { alreadyFinal, noOptimization, optimizationBody } from './optimization.ts'
import { cancelOptimization, findOptimization } from './optimization-table.ts'

/** `POST /campaigns/{campaignId}/optimizations/{optimizationId}/cancel`. */
export function cancelOptimizationOperation(): Operation {
  return defineOperation({
    id: 'cancel-optimization',
    method: 'POST',
    path: '/campaigns/{campaignId}/optimizations/{optimizationId}/cancel',
    summary: 'Cancels an optimization that has not ended.',
    output: { success: optimizationBody },
    outcomes: ['success', 'conflict'],
    run: ({ tenant, params: { campaignId, optimizationId: id }, commit, cancelOperation }) =>
      commit(async (sql): Promise<Outcome> => {
        const found = await findOptimization(sql, { tenant, campaignId, id })
        if (found === undefined) return noOptimization()
        const { optimization, operationId } = found
        // Cancelling the operation cancels its optimization.
        const isCancelled =
          operationId === undefined
            ? await cancelOptimization(sql, { tenant, id })
            : (await cancelOperation(operationId, sql)) === 'cancelled'
        return isCancelled ? success({ ...optimization, status: 'cancelled' }) : alreadyFinal(id)
      }),
  })
}
