import { setTimeout as pause } from 'node:timers/promises'
import { created, type Outcome, TakenOverError } from '@agentic-rest/service'
import type { Campaign } from '../campaigns/campaign.ts'
import type { DailyMetrics } from '../campaigns/metrics.ts'
import { readMetrics } from '../campaigns/read-metrics.ts'
import { suggest } from '../optimizer/suggest.ts'
import { addDays, emptyTally, type Tally } from '../optimizer/tally.ts'
import type { Optimization } from './optimization.ts'
import { completeOptimization, runWithOperation } from './optimization-table.ts'
import type { OptimizationContext, OptimizerParts } from './optimizer-parts.ts'

const STEPS = 14

/** A run of an accepted operation and its optimization. */
export interface BackgroundContext extends OptimizationContext {
  readonly operationId: string
}

/**
 * Optimizes in the background and reports each step. After an interruption the next run continues the same
 * optimization, which ends in the transaction that ends the operation.
 */
export async function optimizeInBackground(
  parts: OptimizerParts,
  campaign: Campaign,
  context: BackgroundContext,
): Promise<Outcome> {
  const { tenant, input, commit } = context
  const optimization = await runWithOperation(parts.store, context)
  if (optimization === undefined) throw ended()
  const metrics = await readMetrics(parts, campaign, context)
  if (!metrics.ok) return metrics.outcome
  const tally = await workThrough({ parts, context, optimization }, metrics.days)
  const suggestions = suggest(tally, input.goal)
  const described = (await parts.writer?.(suggestions)) ?? suggestions
  return commit(async (sql) => {
    const completed = await completeOptimization(sql, { tenant, id: optimization.id }, described)
    if (completed === undefined) throw ended()
    return created(completed)
  })
}

/** The optimization has ended with its operation, so this run is obsolete. */
function ended(): Error {
  return new TakenOverError('the optimization has ended')
}

interface Run {
  readonly parts: OptimizerParts
  readonly context: BackgroundContext
  readonly optimization: Optimization
}

/** Sums the days in several steps. */
async function workThrough(
  { parts, context, optimization }: Run,
  days: readonly DailyMetrics[],
): Promise<Tally> {
  let tally = emptyTally
  for (let step = 1; step <= STEPS; step += 1) {
    const [from, to] = [step - 1, step].map((part) => Math.round((days.length * part) / STEPS))
    tally = addDays(tally, days.slice(from, to))
    await context.progress({ optimizationId: optimization.id, step, steps: STEPS })
    await pause(parts.stepMs, undefined, { signal: context.signal })
  }
  return tally
}
