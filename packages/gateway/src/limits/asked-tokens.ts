import { readMembers } from './json-members.ts'
import { MOST_TOKENS, modelName } from './usage.ts'

/** The answer that a request body asks for. */
export interface AskedTokens {
  /** The most output tokens of all choices together; `undefined` if the body does not say. */
  readonly tokens: number | undefined
  readonly model: string | undefined
}

const NOTHING: AskedTokens = { tokens: undefined, model: undefined }
const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const
const MOST_CHOICES = 128

/**
 * Reads the model and the token limit of a JSON body. Invalid values count as absent, values above a bound as that bound.
 * Values that the upstream may read otherwise are absent too: a caller could show a free model here and use a dear one.
 */
export async function askedTokens(body: Buffer): Promise<AskedTokens> {
  const members = await readMembers(body, [...LIMITS, 'n', 'model'])
  if (members === undefined) return NOTHING
  const limits = LIMITS.flatMap((name) => positive(members.value(name), MOST_TOKENS) ?? [])
  const isClear = ![...LIMITS, 'n'].some((name) => members.isAmbiguous(name))
  const choices = members.value('n') ?? 1
  const factor = isClear ? positive(choices, MOST_CHOICES) : undefined
  // Two limits contradict each other: the upstream may follow either.
  const most = limits.length === 0 ? undefined : Math.max(...limits)
  const tokens = most === undefined || factor === undefined ? undefined : Math.min(most * factor, MOST_TOKENS)
  return { tokens, model: members.isAmbiguous('model') ? undefined : modelName(members.value('model')) }
}

/** A positive integer, at most `bound`. */
function positive(value: unknown, bound: number): number | undefined {
  return Number.isInteger(value) && (value as number) > 0 ? Math.min(value as number, bound) : undefined
}
