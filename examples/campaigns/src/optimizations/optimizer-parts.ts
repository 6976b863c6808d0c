import type { InputOf, RunContext, Store } from '@agentic-rest/service'
import { z } from 'zod'
import type { MetricsSources } from '../campaigns/read-metrics.ts'
import { goals } from '../optimizer/goals.ts'
import type { DescriptionWriter } from './describe-by-model.ts'

/** The inputs of an optimization. */
export const optimizationInput = z.object({
  campaignId: z.string().meta({ examples: ['cmp-123'] }),
  goal: z.enum(goals).describe('What is the campaign to be optimized for?'),
})

/** The context of a run. */
export type OptimizationContext = RunContext<InputOf<typeof optimizationInput>>

/** The dependencies of optimizations. */
export interface OptimizerParts extends MetricsSources {
  readonly store: Store
  /** The added duration of each step of a background run. */
  readonly stepMs: number
  /** Replaces the computed descriptions, if there is a model. */
  readonly writer: DescriptionWriter | undefined
  /** Tracks work after an answer, so that `close` can wait for it. */
  readonly afterwards: (work: Promise<void>) => void
}
