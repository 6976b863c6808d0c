import { z } from 'zod'

const MAX_PROMPT_LENGTH = 100_000
const MAX_TOKENS = 4096
const USUAL_TOKENS = 16

/** The input of a completion. Unknown members are kept for a remote model. */
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

/** A checked request for a completion. */
export type CompletionInput = z.infer<typeof completionInput>

/** The prompt as one text. The API also allows a list; this service supports lists of one. */
export function promptText({ prompt }: CompletionInput): string {
  return typeof prompt === 'string' ? prompt : prompt[0]
}
