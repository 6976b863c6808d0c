import { readMembers } from './json-members.ts'
import { MOST_TOKENS, modelName } from './usage.ts'

/** The answer that a request body asks for. */
export interface AskedTokens {
  /** The input tokens by estimate: a quarter of the bytes of its texts. */
  readonly input: number
  /** The most output tokens of all choices together; `undefined` if the body does not say. */
  readonly tokens: number | undefined
  readonly model: string | undefined
}

const CHAT_LIMITS = ['max_tokens', 'max_completion_tokens'] as const
const LIMITS = [...CHAT_LIMITS, 'max_output_tokens'] as const
const MOST_CHOICES = 128
/** Bytes of a token in English text. */
const TOKEN_BYTES = 4

/**
 * Estimates the input tokens of a body, and reads the model and the token limit of a JSON body. Invalid values count as absent, values above a bound as that bound.
 * Values that the upstream may read otherwise are absent too: a caller could show a free model here and use a dear one.
 */
export async function askedTokens(body: Buffer): Promise<AskedTokens> {
  const members = await readMembers(body, [...LIMITS, 'n', 'model', 'messages'])
  if (members === undefined) return { input: tokensOf(body.length), tokens: undefined, model: undefined }
  const input = Math.min(tokensOf(members.textBytes) + members.listedValues, MOST_TOKENS)
  const limits = LIMITS.flatMap((name) => positive(members.value(name), MOST_TOKENS) ?? [])
  const isClear = ![...LIMITS, 'n'].some((name) => members.isAmbiguous(name))
  const choices = members.value('n') ?? 1
  const factor = isClear ? positive(choices, MOST_CHOICES) : undefined
  // Two limits contradict each other: the upstream may follow either.
  const most = limits.length === 0 ? undefined : Math.max(...limits)
  // A chat ignores the limit of the Responses API: one token here would be thousands there.
  const isRead = members.span('messages') === undefined || CHAT_LIMITS.some((name) => members.span(name))
  const tokens =
    most === undefined || !isRead || factor === undefined ? undefined : Math.min(most * factor, MOST_TOKENS)
  return {
    input,
    tokens,
    model: members.isAmbiguous('model') ? undefined : modelName(members.value('model')),
  }
}

/** The tokens of a number of bytes, rounded up. */
export function tokensOf(bytes: number): number {
  return Math.min(Math.ceil(bytes / TOKEN_BYTES), MOST_TOKENS)
}

/** A positive integer, at most `bound`. */
function positive(value: unknown, bound: number): number | undefined {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, bound) : undefined
}
