/** Why a text ended: `stop` for its end or a stop text, `length` for `max_tokens`. */
export type FinishReason = 'stop' | 'length'

/** The number of tokens read and written. */
export interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** The common fields of all bodies of one completion. */
export interface CompletionHead {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
}

/** A text completion, or one frame of it, in the format of the OpenAI API. */
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

/** A body with a part of the text or all of it. */
export function completionBody(
  { id, created, model }: CompletionHead,
  text: string,
  finishReason: FinishReason | null,
): CompletionBody {
  const choice = { index: 0, text, logprobs: null, finish_reason: finishReason } as const
  return { id, object: 'text_completion', created, model, choices: [choice] }
}

/** The last frame, with the usage, if the caller asked for it. */
export function usageBody({ id, created, model }: CompletionHead, usage: Usage): CompletionBody {
  return { id, object: 'text_completion', created, model, choices: [], usage }
}
