import {
  conditionOf,
  headers as headerNames,
  type Outcome,
  outcomes,
  outcomeTypeOf,
  PROFILE_VERSION,
  statusOf,
  writeOutcome,
} from '@agentic-rest/profile'
import { type Delivery, lastOutcome } from './deliver.ts'
import { type ErrorCode, errorCodeRow, errorCodes } from './error-codes.ts'
import type { Exchange, ExchangeResult } from './exchange.ts'
import type { CheckedAnswer } from './upstream/check-response.ts'

const OVERLOAD_RETRY_SECONDS = '1'
const NO_CONTENT = 204

/** Answers with an outcome of the gateway's own. */
export function sendOutcome(exchange: Exchange, outcome: Outcome): void {
  exchange.result = resultOf(outcome)
  const { reply, trace } = exchange
  if (reply.closed) return
  // A part of another answer is out: cutting it is the only way left to say that it failed.
  if (reply.headersSent) {
    reply.destroy()
    return
  }
  const { status, headers, body } = writeOutcome(outcome, trace)
  const bytes = Buffer.from(body)
  const list = Object.entries({ ...headers, ...conditionHeaders(exchange, outcome) }).flat()
  reply.head(status, [...list, 'Content-Length', String(bytes.length)])
  reply.end(exchange.method === 'HEAD' ? undefined : bytes)
}

/** Answers a preflight of a browser: which methods and headers the path takes, and nothing else. */
export function sendPreflight({ reply, trace }: Exchange, headers: readonly string[]): void {
  const own = [
    headerNames.profile,
    PROFILE_VERSION,
    headerNames.correlationId,
    trace.correlationId,
    headerNames.requestId,
    trace.requestId,
  ]
  reply.head(NO_CONTENT, [...own, ...headers])
  reply.end()
}

/** Headers that HTTP asks for with some conditions. */
function conditionHeaders(exchange: Exchange, outcome: Outcome): Record<string, string> {
  const condition = outcome.type === 'error' ? outcome.condition : undefined
  switch (condition) {
    case 'unauthenticated':
      return { 'WWW-Authenticate': challenge(outcome) }
    case 'method_not_allowed':
      return { Allow: exchange.allowedMethods.join(', ') }
    case 'unavailable':
      return { [headerNames.retryAfter]: OVERLOAD_RETRY_SECONDS }
    case 'not_found':
    case 'too_large':
    case 'limit_exceeded':
    case undefined:
      return {}
  }
}

function challenge(outcome: Outcome): string {
  const code = 'code' in outcome ? (outcome.code ?? '') : ''
  const error = Object.hasOwn(errorCodes, code) ? errorCodeRow(code as ErrorCode).challenge : undefined
  return `Bearer realm="agentic", error="${error ?? 'invalid_token'}"`
}

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
  const label = typed ? condition : `untyped_${Math.floor(answer.status / 100)}xx`
  return { status: answer.status, label, outcomeType: undefined }
}

/** How a request counts whose client left: it got no status. */
export const disconnected: ExchangeResult = { status: 0, label: 'client_disconnect', outcomeType: undefined }
