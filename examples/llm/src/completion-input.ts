import { z } from 'zod'

const MAX_PROMPT_LENGTH = 100_000
const MAX_TOKENS = 4096
const USUAL_TOKENS = 16

/** What a completion is asked for with. Members that only some models know are kept, for a model elsewhere. */
export const completionInput = z.looseObject({
  prompt: z
    .union([z.string().max(MAX_PROMPT_LENGTH), z.tuple([z.string().max(MAX_PROMPT_LENGTH)])])
    .describe('What shall the text continue?'),
  model: z.string().max(256).default('local-text'),
  max_tokens: z.int().min(1).max(MAX_TOKENS).default(USUAL_TOKENS),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  n: z.literal(1).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
})

/** A request for a completion, checked. */
export type CompletionInput = z.infer<typeof completionInput>

/** The prompt as one text; the API also takes a list, of which this service knows lists of one. */
export function promptText({ prompt }: CompletionInput): string {
  return typeof prompt === 'string' ? prompt : prompt[0]
}
