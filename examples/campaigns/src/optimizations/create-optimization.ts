import { defineOperation, type Operation } from '@agentic-rest/service'
import { findCampaign, noCampaign } from '../campaigns/campaign.ts'
import { optimizationBody } from './optimization.ts'
import { optimizeInBackground } from './optimize-in-background.ts'
import { optimizeNow } from './optimize-now.ts'
import { type OptimizationContext, type OptimizerParts, optimizationInput } from './optimizer-parts.ts'

/** Optimizations of campaigns with a larger monthly budget have to be approved. */
export const APPROVAL_THRESHOLD = 50_000

/** What the operation needs to know besides its request. */
export interface CreateOptimizationOptions extends OptimizerParts {
  /** Whether somebody waits for the answer: the runtime itself does not tell a run. */
  readonly isWaitedFor: () => boolean
}

/** `POST /campaigns/{campaignId}/optimizations`. */
export function createOptimization(options: CreateOptimizationOptions): Operation {
  const { store, isWaitedFor } = options
  return defineOperation({
    id: 'create-optimization',
    method: 'POST',
    path: '/campaigns/{campaignId}/optimizations',
    summary: 'Suggests changes to a campaign that bring it closer to a goal.',
    input: optimizationInput,
    output: { created: optimizationBody },
    idempotent: true,
    async: true,
    approval: {
      role: 'campaign:approve',
      async when({ tenant, input: { campaignId } }) {
        const campaign = await findCampaign(store, { tenant, campaignId })
        if (campaign === undefined || campaign.monthlyBudget <= APPROVAL_THRESHOLD) return false
        const message = `${campaignId} spends ${campaign.monthlyBudget} a month. Above ${APPROVAL_THRESHOLD}, optimizations have to be approved.`
        return { message, approver: { name: 'Campaign approvals' } }
      },
    },
    async run(context: OptimizationContext) {
      const { tenant, input, audit } = context
      const campaign = await findCampaign(store, { tenant, campaignId: input.campaignId })
      if (campaign === undefined) return noCampaign()
      audit.set({ attributes: { goal: input.goal } })
      return isWaitedFor()
        ? optimizeNow(options, campaign, context)
        : optimizeInBackground(options, campaign, context)
    },
  })
}
