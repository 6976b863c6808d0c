import {
  conditionOf,
  headers as headerNames,
  type Outcome,
  outcomes,
  outcomeTypeOf,
  statusOf,
  writeOutcome,
} from '@agentic-rest/profile'
import { causeOf, type ErrorCode, errorCodeRow, errorCodes, refusal } from '../errors.ts'
import type { CancelReason, Delivery, Exchange, ExchangeResult, StreamErrorKind } from '../exchange.ts'
import { retryAfterOf } from '../limits/refuse.ts'
import { lastOutcome } from './deliver.ts'
import { sendWhole } from './own-answer.ts'
import type { Parts } from './parts.ts'
import { tellPlugins } from './pipeline.ts'
import { reasonOf } from './reason.ts'

/** Answers with an outcome of the gateway's own. `parts` are needed for outcomes of plugins. */
export function respond(exchange: Exchange, outcome: Outcome, parts?: Parts): void {
  exchange.outcome = outcome
  if (exchange.reply.isClosed) return
  const { status, headers, body } = writeOutcome(outcome, exchange.trace)
  const wait = retryAfterOf(exchange, outcome)
  const sent = {
    ...headers,
    ...conditionHeaders(exchange, outcome, parts),
    ...(wait !== undefined && { [headerNames.retryAfter]: String(wait) }),
  }
  sendWhole(exchange, { status, headers: sent, body: Buffer.from(body) })
}

/** Headers that HTTP requires with some conditions. */
function conditionHeaders(exchange: Exchange, outcome: Outcome, parts?: Parts): Record<string, string> {
  if (outcome.type === 'forbidden' && outcome.code === 'INSUFFICIENT_SCOPE')
    return { 'WWW-Authenticate': scopeChallenge(exchange) }
  const condition = outcome.type === 'error' ? outcome.condition : undefined
  switch (condition) {
    case 'unauthenticated':
      return { 'WWW-Authenticate': exchange.challenge ?? challenge(outcome) }
    case 'method_not_allowed':
      return { Allow: allowedMethods(exchange, parts).join(', ') }
    case 'unavailable':
    case 'not_found':
    case 'too_large':
    case 'limit_exceeded':
    case undefined:
      return {}
  }
}

/** A custom plugin can refuse the method of a route; the methods of the path's other routes are left. */
function allowedMethods(exchange: Exchange, parts?: Parts): readonly string[] {
  const { route, path } = exchange
  if (route === undefined || parts === undefined) return exchange.allowedMethods
  const { router } = parts.snapshot
  return router.methods(path).filter((method) => router.match(method, path).route !== route)
}

/** RFC 6750, section 3.1: a client learns the scopes to ask for. */
function scopeChallenge({ route }: Exchange): string {
  const scope = route === undefined || route.scopes.length === 0 ? '' : `, scope="${route.scopes.join(' ')}"`
  return `Bearer realm="agentic", error="insufficient_scope"${scope}`
}

/** The value of `WWW-Authenticate` for a refused token. */
export function challenge(outcome: Outcome): string {
  const code = 'code' in outcome ? (outcome.code ?? '') : ''
  const error = Object.hasOwn(errorCodes, code) ? errorCodeRow(code as ErrorCode).challenge : undefined
  return `Bearer realm="agentic", error="${error ?? 'invalid_token'}"`
}

/** Counts a request as active, in the gateway and in its snapshot. */
export function enter(exchange: Exchange, { load, snapshot }: Parts): void {
  load.enter(exchange)
  snapshot.requests.enter(exchange)
}

/** Ends a request that is not counted and not recorded as an exchange of its own. */
export function leave(exchange: Exchange, { load, snapshot }: Parts): void {
  load.leave(exchange)
  snapshot.requests.leave(exchange)
}

/** Answers a request that threw. The cause goes to the log; the client gets an outcome and its trace. */
export function fail(exchange: Exchange, { log }: Parts, error: unknown): void {
  if (!exchange.signal.aborted) {
    log.error('a request failed', { request_id: exchange.trace.requestId, error })
    exchange.cause = causeOf(error)
    respond(exchange, refusal('INTERNAL_ERROR'))
    return
  }
  const outcome = lastOutcome(exchange.signal.reason as CancelReason)
  if (outcome !== undefined) respond(exchange, outcome)
}

/** Releases everything, counts the request, completes its audit record and shows it to the watchers. */
export function finish(exchange: Exchange, parts: Parts): void {
  const { snapshot, load, metrics, watchers } = parts
  clearTimeout(exchange.deadline)
  clearTimeout(exchange.expiry)
  load.leave(exchange)
  if (exchange.slot === 'taken') {
    exchange.releaseSlot?.()
    metrics.streamClosed(exchange)
  }
  exchange.result = resultOf(exchange)
  exchange.streamError = streamErrorOf(exchange)
  exchange.reason = reasonOf(exchange)
  metrics.requestFinished(exchange)
  tellPlugins(exchange, parts)
  if (exchange.reason !== undefined || exchange.violations.length > 0) parts.reasonLog.tell(exchange)
  for (const watch of watchers) watch(exchange)
  // Last: a replaced snapshot closes with its last request, and the lines above still use it.
  snapshot.requests.leave(exchange)
}

const disconnected: ExchangeResult = { status: 0, label: 'client_disconnect', outcomeType: undefined }

/** How a request counts: by the gateway's own outcome, by the upstream's answer, or as a client that left. */
function resultOf({ outcome, delivery }: Exchange): ExchangeResult {
  if (outcome !== undefined) return outcomeResult(outcome)
  return delivery === undefined ? disconnected : deliveredResult(delivery)
}

function outcomeResult(outcome: Outcome): ExchangeResult {
  const status = statusOf(outcome)
  const condition = outcome.type === 'error' ? outcome.condition : undefined
  if (condition !== undefined) return { status, label: condition, outcomeType: undefined }
  return { status, label: outcome.type, outcomeType: outcome.type }
}

function deliveredResult({ status, essence, end }: Delivery): ExchangeResult {
  if (end === 'client_disconnect') return disconnected
  const broken = lastOutcome(end)
  if (broken !== undefined) return outcomeResult(broken)
  const type = outcomeTypeOf(status)
  if (type !== undefined && outcomes[type].mediaType === essence)
    return { status, label: type, outcomeType: type }
  const condition = conditionOf(status)
  const typed = condition !== undefined && essence === outcomes.error.mediaType
  return { status, label: typed ? condition : `untyped_${statusClass(status)}xx`, outcomeType: undefined }
}

/** RFC 9110, section 15: a status above 599 does not exist, and counts as a failure of the server. */
function statusClass(status: number): number {
  return Math.min(Math.floor(status / 100), 5)
}

/** Ends that are no failure of a stream. */
const ORDERLY: ReadonlySet<unknown> = new Set(['complete', 'shutdown', 'token_expired', 'unknown_issuer'])

/** Why a stream failed, if it did. */
function streamErrorOf({ slot, delivery, signal, outcome }: Exchange): StreamErrorKind | undefined {
  if (slot === 'refused') return 'limit_exceeded'
  if (slot === 'none') return undefined
  const end = delivery?.end ?? signal.reason
  if (end !== undefined) return ORDERLY.has(end) ? undefined : (end as StreamErrorKind)
  return outcome?.type === 'failed_dependency' ? 'upstream_error' : undefined
}
