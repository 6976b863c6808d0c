import { headers as headerNames, type Outcome, PROFILE_VERSION, writeOutcome } from '@agentic-rest/profile'
import { type ErrorCode, errorCodeRow, errorCodes, refusal } from '../errors.ts'
import type { CancelReason, Exchange } from '../exchange.ts'
import { disconnected, resultOf } from './exchange-result.ts'
import type { GatewayParts } from './parts.ts'
import { tellPlugins } from './pipeline.ts'

const OVERLOAD_RETRY_SECONDS = '1'
const NO_CONTENT = 204

/** Answers with an outcome of the gateway's own. */
export function sendOutcome(exchange: Exchange, outcome: Outcome): void {
  exchange.result = resultOf(outcome)
  const { reply, trace } = exchange
  if (reply.isClosed()) return
  // A part of another answer is out: cutting it is the only way left to say that it failed.
  if (reply.isHeadSent()) {
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

/** What a request that failed is answered with. The cause goes to the log; the client gets an outcome and its trace. */
export function fail(exchange: Exchange, { log }: GatewayParts, error: unknown): void {
  if (!exchange.signal.aborted) {
    log.error('a request failed', { request_id: exchange.trace.requestId, error })
    sendOutcome(exchange, refusal('INTERNAL_ERROR'))
    return
  }
  const reason = exchange.signal.reason as CancelReason
  if (exchange.releaseSlot !== undefined && reason !== 'shutdown') exchange.streamError = reason
  if (reason === 'client_disconnect') exchange.result = disconnected
  else sendOutcome(exchange, refusal(reason === 'timeout' ? 'EXECUTION_TIMEOUT' : 'SHUTTING_DOWN'))
}

/** Gives everything back, counts the request, completes its audit record and shows it to who looks on. */
export function finish(exchange: Exchange, parts: GatewayParts): void {
  const { snapshot, load, metrics, watchers } = parts
  clearTimeout(exchange.deadline)
  load.leave(exchange)
  if (exchange.releaseSlot !== undefined) {
    exchange.releaseSlot()
    metrics.streamClosed(exchange)
  }
  exchange.result ??= disconnected
  metrics.requestFinished(exchange)
  if (exchange.route !== undefined) tellPlugins(exchange, parts)
  for (const watch of watchers) watch(exchange)
  // Last of all: with its last request a configuration that was replaced gives back what is used above.
  snapshot.requests.leave(exchange)
}
