import { randomUUID } from 'node:crypto'
import { created, type Outcome } from '@agentic-rest/service'
import type { Campaign } from '../campaigns/campaign.ts'
import { readMetrics } from '../campaigns/read-metrics.ts'
import { suggest } from '../optimizer/suggest.ts'
import type { Suggestion } from '../optimizer/suggestion.ts'
import { addDays, emptyTally } from '../optimizer/tally.ts'
import { alreadyRunning, type Optimization } from './optimization.ts'
import { beginOptimization, completeOptimization, keepHold } from './optimization-table.ts'
import type { OptimizationContext, OptimizerParts } from './optimizer-parts.ts'

// Longer than the time limit of the model.
const HOLD_SECONDS = 8

/** An optimization that has not started. */
export function newOptimization(
  { campaignId, goal }: OptimizationContext['input'],
  suggestions: readonly Suggestion[],
): Optimization {
  const id = `opt-${randomUUID()}`
  const createdAt = new Date().toISOString()
  return { id, campaignId, goal, status: 'accepted', suggestions: [...suggestions], createdAt }
}

/**
 * Optimizes while the caller waits. The answer is the accepted optimization with its suggestions. The optimization ends
 * right after it, or when a model has written its texts (decision 11).
 */
export async function optimizeNow(
  parts: OptimizerParts,
  campaign: Campaign,
  context: OptimizationContext,
): Promise<Outcome> {
  const metrics = await readMetrics(parts, campaign, context)
  if (!metrics.ok) return metrics.outcome
  const suggestions = suggest(addDays(emptyTally, metrics.days), context.input.goal)
  const optimization = newOptimization(context.input, suggestions)
  const outcome = await context.commit(async (sql) => {
    const worker = { holdSeconds: HOLD_SECONDS }
    const other = await beginOptimization(sql, { tenant: context.tenant, optimization, worker })
    if (other !== undefined) return alreadyRunning(other.inTheWay)
    const location = `/campaigns/${encodeURIComponent(campaign.id)}/optimizations/${optimization.id}`
    return created(optimization, { location })
  })
  if (outcome.type === 'created') await finish(parts, optimization, context)
  return outcome
}

async function finish(
  parts: OptimizerParts,
  { id, suggestions }: Optimization,
  { tenant, log }: OptimizationContext,
): Promise<void> {
  const { store, writer } = parts
  const key = { tenant, id }
  if (!(await keepHold(store, key, HOLD_SECONDS))) return
  if (writer === undefined) return void (await completeOptimization(store, key, suggestions))
  // The answer does not wait for the texts of the model.
  const writing = writer(suggestions).then((described) => completeOptimization(store, key, described))
  parts.afterwards(
    writing.then(
      () => undefined,
      (cause: unknown) =>
        log.warn('an optimization could not be completed; it is at the next look', { cause }),
    ),
  )
}
