import { createClient } from '@agentic-rest/client'
import { z } from 'zod'
import type { Suggestion } from '../optimizer/suggestion.ts'

/** Gives suggestions other descriptions. It never fails: a text that does not come stays the computed one. */
export type DescriptionWriter = (suggestions: readonly Suggestion[]) => Promise<readonly Suggestion[]>

/** Where a model is that speaks the OpenAI completions API. */
export interface ModelOptions {
  readonly baseUrl: string
  readonly apiKey?: string | undefined
  readonly model?: string | undefined
  /** How long all texts together may take; 4,000 unless set. */
  readonly timeoutMs?: number | undefined
}

const MAX_LENGTH = 500
const MAX_TOKENS = 120
const TIMEOUT_MS = 4_000

const completion = z.object({ choices: z.tuple([z.object({ text: z.string() })]).rest(z.unknown()) })

/** Lets a model put suggestions into words. Numbers and types stay those that were computed. */
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

/** A model may say anything: only a text that can be shown as it is takes the place of the computed one. */
function readText(body: unknown): string | undefined {
  const read = completion.safeParse(body)
  if (!read.success) return undefined
  const text = read.data.choices[0].text
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/ {2,}/g, ' ')
    .trim()
  return text !== '' && text.length <= MAX_LENGTH ? text : undefined
}
