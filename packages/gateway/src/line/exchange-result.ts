import { conditionOf, type Outcome, outcomes, outcomeTypeOf, statusOf } from '@agentic-rest/profile'
import type { ExchangeResult } from '../exchange.ts'
import type { CheckedAnswer } from '../upstream/check-response.ts'
import { type Delivery, lastOutcome } from './deliver.ts'

/** How an outcome of the gateway counts. */
export function resultOf(outcome: Outcome): ExchangeResult {
  const status = statusOf(outcome)
  const condition = outcome.type === 'error' ? outcome.condition : undefined
  if (condition !== undefined) return { status, label: condition, outcomeType: undefined }
  return { status, label: outcome.type, outcomeType: outcome.type }
}

/** How an answer of an upstream counts, once it is delivered or broken off. */
export function deliveredResult({ answer, essence }: CheckedAnswer, delivery: Delivery): ExchangeResult {
  if (delivery === 'client_disconnect') return disconnected
  const broken = lastOutcome(delivery)
  if (broken !== undefined) return resultOf(broken)
  const type = outcomeTypeOf(answer.status)
  if (type !== undefined && outcomes[type].mediaType === essence)
    return { status: answer.status, label: type, outcomeType: type }
  const condition = conditionOf(answer.status)
  const typed = condition !== undefined && essence === outcomes.error.mediaType
  const label = typed ? condition : `untyped_${statusClass(answer.status)}xx`
  return { status: answer.status, label, outcomeType: undefined }
}

/** RFC 9110, section 15: a status above 599 is none, and counts as a failure of the server. */
function statusClass(status: number): number {
  return Math.min(Math.floor(status / 100), 5)
}

/** How a request counts whose client left: it got no status. */
export const disconnected: ExchangeResult = { status: 0, label: 'client_disconnect', outcomeType: undefined }
