import { headers } from '@agentic-rest/profile'
import type { Answered } from './answer.ts'

/** How long an answer says to wait, in milliseconds: as seconds, as a date, or in the body (RFC 9110 10.2.3). */
export function retryAfterMs(outcome: Answered, now: number): number | undefined {
  const field = outcome.answer.headers.get(headers.retryAfter)
  if (field !== null && /^\d+$/.test(field)) return Number(field) * 1000
  // Date.parse makes a date of almost anything, so only what begins with a day's name is handed to it.
  const date = field !== null && /^[A-Z][a-z]{2}/.test(field) ? Date.parse(field) : Number.NaN
  if (!Number.isNaN(date)) return Math.max(0, date - now)
  if (outcome.type === 'error' && outcome.retryAfter !== undefined) return outcome.retryAfter * 1000
  return undefined
}
