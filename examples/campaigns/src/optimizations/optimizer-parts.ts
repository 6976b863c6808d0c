import type { InputOf, RunContext, Store } from '@agentic-rest/service'
import { z } from 'zod'
import type { MetricsSources } from '../campaigns/read-metrics.ts'
import { goals } from '../optimizer/goals.ts'
import type { DescriptionWriter } from './describe-by-model.ts'

/** The inputs of an optimization. */
export const optimizationInput = z.object({
  campaignId: z.string(),
  goal: z.enum(goals).describe('What is the campaign to be optimized for?'),
})

/** What a run gets. */
export type OptimizationContext = RunContext<InputOf<typeof optimizationInput>>

/** What optimizations are made with. */
export interface OptimizerParts extends MetricsSources {
  readonly store: Store
  /** How long each step of a run in the background takes, besides its work. */
  readonly stepMs: number
  /** Writes descriptions in place of the computed ones, where there is a model. */
  readonly writer: DescriptionWriter | undefined
  /** Keeps what goes on after an answer, so that closing can wait for it. */
  readonly afterwards: (work: Promise<void>) => void
}
