import {
  type AcceptContext,
  type CheckContext,
  defineOperation,
  type InputOf,
  type Operation,
  type Refusal,
  type Sql,
} from '@agentic-rest/service'
import { findCampaign, noCampaign } from '../campaigns/campaign.ts'
import { isSourceAway, metricsUnavailable } from '../campaigns/read-metrics.ts'
import { alreadyRunning, optimizationBody } from './optimization.ts'
import { beginOptimization, endWithOperation, findInProgress } from './optimization-table.ts'
import { optimizeInBackground } from './optimize-in-background.ts'
import { newOptimization, optimizeNow } from './optimize-now.ts'
import { type OptimizationContext, type OptimizerParts, optimizationInput } from './optimizer-parts.ts'

/** Optimizations of campaigns with a larger monthly budget need an approval. */
export const APPROVAL_THRESHOLD = 50_000

type Input = InputOf<typeof optimizationInput>

/** `POST /campaigns/{campaignId}/optimizations`. */
export function createOptimization(parts: OptimizerParts): Operation {
  const { store } = parts
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
      async when({ tenant, input: { campaignId, goal } }) {
        const campaign = await findCampaign(store, { tenant, campaignId })
        if (campaign === undefined || campaign.monthlyBudget <= APPROVAL_THRESHOLD) return false
        // The approver sees only this text of the request.
        const message = `Optimize ${campaignId} for ${goal}? It spends ${campaign.monthlyBudget} a month; above ${APPROVAL_THRESHOLD} this has to be approved.`
        return { message, approver: { name: 'Campaign approvals' } }
      },
    },
    check: (context) => whyImpossible(parts, context),
    accept: keepAccepted,
    release: ({ status, ...key }, sql) =>
      endWithOperation(sql, key, status === 'cancelled' ? 'cancelled' : 'failed'),
    async run(context: OptimizationContext) {
      const { tenant, input, audit, operationId } = context
      const campaign = await findCampaign(store, { tenant, campaignId: input.campaignId })
      if (campaign === undefined) return noCampaign()
      audit.set({ attributes: { goal: input.goal } })
      return operationId === undefined
        ? optimizeNow(parts, campaign, context)
        : optimizeInBackground(parts, campaign, { ...context, operationId })
    },
  })
}

/** Refuses requests that cannot succeed now, before an approval or a 202. */
async function whyImpossible(
  parts: OptimizerParts,
  context: CheckContext<Input>,
): Promise<Refusal | undefined> {
  const { tenant, input, audit } = context
  const campaign = await findCampaign(parts.store, { tenant, campaignId: input.campaignId })
  if (campaign === undefined) return noCampaign()
  audit.set({ attributes: { goal: input.goal } })
  const inTheWay = await findInProgress(parts.store, { tenant, ...input })
  if (inTheWay !== undefined) return alreadyRunning(inTheWay)
  // For a waiting caller the run makes the same check.
  if (!context.prefersAsync) return undefined
  return (await isSourceAway(parts, campaign, context)) ? metricsUnavailable : undefined
}

/** Creates the optimization with the 202, so that a second request for the same goal finds it. */
async function keepAccepted(
  { tenant, input, operationId }: AcceptContext<Input>,
  sql: Sql,
): Promise<Refusal | undefined> {
  const optimization = newOptimization(input, [])
  const other = await beginOptimization(sql, { tenant, optimization, worker: { operationId } })
  return other && alreadyRunning(other.inTheWay)
}
