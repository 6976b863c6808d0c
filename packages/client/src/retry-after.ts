import { headers } from '@agentic-rest/profile'
import type { Answered } from './answer.ts'

/** The wait in milliseconds from Retry-After, in seconds or as a date, or from the body (RFC 9110 10.2.3). */
export function retryAfterMs(outcome: Answered, now: number): number | undefined {
  const field = outcome.answer.headers.get(headers.retryAfter)
  if (field !== null && /^\d+$/.test(field)) return Number(field) * 1000
  // Date.parse accepts almost anything, so only texts that start with the name of a day are parsed.
  const date = field !== null && /^[A-Z][a-z]{2}/.test(field) ? Date.parse(field) : Number.NaN
  if (!Number.isNaN(date)) return Math.max(0, date - now)
  if (outcome.type === 'error' && outcome.retryAfter !== undefined) return outcome.retryAfter * 1000
  return undefined
}
