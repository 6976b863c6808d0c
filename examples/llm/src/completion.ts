/** Why a text ended: by itself or a stop text, or because `max_tokens` were reached. */
export type FinishReason = 'stop' | 'length'

/** How much was read and written. */
export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** What all bodies of one completion share. */
export interface CompletionHead {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
}

/** A text completion, or one frame of it, as the OpenAI API has it. */
export interface CompletionBody extends CompletionHead {
  readonly object: 'text_completion'
  readonly choices: readonly CompletionChoice[]
  readonly usage?: Usage
}

interface CompletionChoice {
  readonly index: 0
  readonly text: string
  readonly logprobs: null
  readonly finish_reason: FinishReason | null
}

/** The body with one piece of the text, or with all of it. */
export function completionBody(
  { id, created, model }: CompletionHead,
  text: string,
  finishReason: FinishReason | null,
): CompletionBody {
  const choice = { index: 0, text, logprobs: null, finish_reason: finishReason } as const
  return { id, object: 'text_completion', created, model, choices: [choice] }
}

/** The last frame for a caller who asked to be told the usage. */
export function usageBody({ id, created, model }: CompletionHead, usage: Usage): CompletionBody {
  return { id, object: 'text_completion', created, model, choices: [], usage }
}
