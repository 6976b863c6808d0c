import { createClient } from '@agentic-rest/client'
import { z } from 'zod'
import type { Suggestion } from '../optimizer/suggestion.ts'

/** Replaces the descriptions of suggestions. It never fails: without a new text the computed one stays. */
export type DescriptionWriter = (suggestions: readonly Suggestion[]) => Promise<readonly Suggestion[]>

/** The address of a model with the OpenAI completions API. */
export interface ModelOptions {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model?: string | undefined
  /** The time limit for all texts together; 4,000 by default. */
  readonly timeoutMs?: number | undefined
}

const MAX_LENGTH = 500
const MAX_TOKENS = 120
const TIMEOUT_MS = 4_000

const completion = z.object({ choices: z.tuple([z.object({ text: z.string() })]).rest(z.unknown()) })

/** Lets a model describe suggestions. Numbers and types are not changed. */
export function createDescriptionWriter({
  baseUrl,
  apiKey,
  model = 'default',
  timeoutMs = TIMEOUT_MS,
}: ModelOptions): DescriptionWriter {
  const client = createClient({ baseUrl, token: apiKey, timeoutMs })
  const describe = async (suggestion: Suggestion): Promise<Suggestion> => {
    const body = { model, prompt: promptFor(suggestion), max_tokens: MAX_TOKENS, temperature: 0 }
    const answer = await client.request({ method: 'POST', path: '/completions', body }).catch(() => undefined)
    const text = answer?.type === 'success' ? readText(answer.body) : undefined
    return text === undefined ? suggestion : { ...suggestion, description: text }
  }
  return (suggestions) => Promise.all(suggestions.map(describe))
}

function promptFor({ type, description }: Suggestion): string {
  return [
    'Rewrite this advice to the manager of an advertising campaign in one or two friendly sentences.',
    'Keep every number as it is and add none.',
    `Kind of advice: ${type}`,
    `Advice: ${description}`,
    'Rewritten:',
  ].join('\n')
}

/** Accepts only a text that can be shown unchanged. */
function readText(body: unknown): string | undefined {
  const read = completion.safeParse(body)
  if (!read.success) return undefined
  const text = read.data.choices[0].text
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return text !== '' && text.length <= MAX_LENGTH ? text : undefined
}
