import type { Usage } from '../../exchange.ts'

export type { Usage } from '../../exchange.ts'

/** The most tokens of one answer that are believed: far above any model, far below the end of exact integers. */
export const MOST_TOKENS = 1_000_000_000

const LONGEST_MODEL = 256

/**
 * The tokens in a `usage` object: `prompt_tokens` and `completion_tokens`, or `input_tokens` and `output_tokens`. Counts
 * that are missing, negative, huge, fractional or no numbers report nothing, and so does a sum of 0: a model reads at
 * least one token. The caller charges its reservation then.
 */
export function readUsage(usage: unknown, model?: unknown): Usage | undefined {
  return reported(inputTokens(usage), outputTokens(usage), model)
}

/** A usage of two counts, if both are known and one of them is above 0. */
export function reported(
  input: number | undefined,
  output: number | undefined,
  model: unknown,
): Usage | undefined {
  if (input === undefined || output === undefined || input + output === 0) return undefined
  const name = modelName(model)
  return name === undefined ? { input, output } : { input, output, model: name }
}

/** The name of a model, if it is a text of a sane length. */
export function modelName(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_MODEL ? value : undefined
}

/** The input tokens in a `usage` object. */
export function inputTokens(usage: unknown): number | undefined {
  const counts = asObject(usage)
  if ('prompt_tokens' in counts) return count(counts['prompt_tokens'])
  // The Messages API counts the tokens of its prompt cache beside `input_tokens`.
  return sum([
    count(counts['input_tokens']),
    countOrNone(counts['cache_creation_input_tokens']),
    countOrNone(counts['cache_read_input_tokens']),
  ])
}

/** The output tokens in a `usage` object. */
export function outputTokens(usage: unknown): number | undefined {
  const counts = asObject(usage)
  if (!('prompt_tokens' in counts)) return count(counts['output_tokens'])
  if ('completion_tokens' in counts) return count(counts['completion_tokens'])
  // Embeddings have a total alone.
  const [input, total] = [count(counts['prompt_tokens']), count(counts['total_tokens'])]
  return input === undefined || total === undefined ? undefined : count(total - input)
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

function count(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MOST_TOKENS
    ? (value as number)
    : undefined
}

function countOrNone(value: unknown): number | undefined {
  return value === undefined || value === null ? 0 : count(value)
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  return count(counts.reduce((total, next) => (total ?? Number.NaN) + (next ?? Number.NaN), 0))
}
