import { conflict, error } from '@agentic-rest/service'
import { z } from 'zod'
import { goals } from '../optimizer/goals.ts'
import { suggestionBody } from '../optimizer/suggestion.ts'

/** The states of an optimization (decision 11); the last three are final. */
export const optimizationStates = ['accepted', 'running', 'completed', 'failed', 'cancelled'] as const

/** The schema of an optimization: exactly the fields of the specification. */
export const optimizationBody = z.object({
  id: z.string(),
  campaignId: z.string(),
  goal: z.enum(goals),
  status: z.enum(optimizationStates),
  suggestions: z.array(suggestionBody),
  createdAt: z.string(),
})

/** An optimization. */
export type Optimization = z.infer<typeof optimizationBody>

/** The answer for an unknown optimization. */
export function noOptimization() {
  return error({ code: 'NOT_FOUND', message: 'There is no such optimization.', condition: 'not_found' })
}

/** The answer while another optimization of the campaign has the same goal. */
export function alreadyRunning(id: string | undefined) {
  return conflict({
    code: 'OPTIMIZATION_RUNNING',
    message: 'An optimization of this campaign for the same goal has not ended yet.',
    ...(id !== undefined && { conflictingResourceId: id }),
  })
}

/** The answer to a cancellation after the end. */
export function alreadyFinal(id: string) {
  const message = 'The optimization has ended and cannot be cancelled.'
  return conflict({ code: 'OPTIMIZATION_FINAL', message, conflictingResourceId: id })
}
