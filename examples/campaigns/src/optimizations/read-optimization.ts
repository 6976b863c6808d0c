import { defineOperation, type Operation, type Store, success } from '@agentic-rest/service'
import { noOptimization, optimizationBody } from './optimization.ts'
import { findOptimization } from './optimization-table.ts'

/** `GET /campaigns/{campaignId}/optimizations/{optimizationId}`. */
export function readOptimization(store: Store): Operation {
  return defineOperation({
    id: 'read-optimization',
    method: 'GET',
    path: '/campaigns/{campaignId}/optimizations/{optimizationId}',
    summary: 'Shows an optimization as it is now.',
    output: { success: optimizationBody },
    outcomes: ['success'],
    async run({ tenant, params: { campaignId, optimizationId: id } }) {
      const found = await findOptimization(store, { tenant, campaignId, id })
      return found === undefined ? noOptimization() : success(found.optimization)
    },
  })
}
