import { z } from 'zod'

/** Every kind of suggestion. */
export const suggestionTypes = [
  'bid_adjustment',
  'budget_shift',
  'audience_refinement',
  'creative_rotation',
] as const
/** A kind of suggestion. */
export type SuggestionType = (typeof suggestionTypes)[number]

/** The schema of a suggestion. */
export const suggestionBody = z.object({
  type: z.enum(suggestionTypes),
  description: z.string(),
  estimatedCtrLift: z.number().describe('A fraction: 0.12 means 12 percent.'),
})

/** A change of a campaign and its effect on the click-through rate. */
export type Suggestion = z.infer<typeof suggestionBody>
