import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { refuse } from '../limits/refuse.ts'
import { isPreflight, preflightHeaders } from '../listen/cors.ts'
import { NO_CONTENT, sendOwn } from './own-answer.ts'
import type { Parts } from './parts.ts'

/**
 * Refuses a request before anything is looked up for it. Without a promise: the parser reads on in the same turn, and a
 * refused head must be answered before a malformed body is.
 */
export function admit(exchange: Exchange, parts: Parts): StepResult {
  const refused = refuseEarly(exchange, parts)
  if (refused !== undefined) exchange.step = 'admit'
  exchange.trail?.end('admit')
  return refused
}

function refuseEarly(exchange: Exchange, { load, snapshot, isClosing }: Parts): StepResult {
  // A pipelined request may have lost its client before its turn came.
  exchange.signal.throwIfAborted()
  if (isClosing() && !isAdmittedBefore(exchange)) return refusal('SHUTTING_DOWN')
  // With methods for the path, the request is answered with 405 instead.
  if (exchange.headFault !== undefined && exchange.allowedMethods.length === 0) return exchange.headFault
  const overload = load.overload()
  if (overload === 'max_in_flight') return refuse(exchange, overload)
  if (overload === 'late_loop') {
    exchange.cause = 'LATE_LOOP'
    return refusal('OVERLOADED')
  }
  const { max_body_bytes } = snapshot.config.gateway.limits
  if ((exchange.body.length ?? 0) <= max_body_bytes) return undefined
  exchange.limit = 'max_body_bytes'
  return refusal('BODY_TOO_LARGE')
}

/** A request of an MCP call belongs to one that was admitted before the end began, and a promised connection as well. */
function isAdmittedBefore({ mcpCall, isPromised }: Exchange): boolean {
  return mcpCall !== undefined || isPromised
}

/**
 * Answers a preflight, which carries no token, before the pipeline; false when the request is none. It is granted
 * for every path and method, so that the page can read why its request is refused: a browser shows a script
 * nothing of an answer whose preflight failed.
 */
export function answerPreflight(exchange: Exchange, { snapshot, isClosing }: Parts): boolean {
  const { cors } = snapshot.config.gateway
  if (cors === undefined || hasBadHeader(exchange)) return false
  if (isClosing() && !isAdmittedBefore(exchange)) return false
  if (!isPreflight(exchange.method, exchange.headers)) return false
  const wanted = exchange.headers['access-control-request-method'] ?? ''
  const methods = new Set([
    ...snapshot.router.methods(exchange.path),
    ...(METHOD.test(wanted) ? [wanted] : []),
  ])
  const known = cors.origins.includes(exchange.headers['origin'] ?? '')
  sendOwn(exchange, { status: NO_CONTENT, headers: known ? preflightHeaders([...methods]) : undefined })
  return true
}

const METHOD = /^[A-Z]{1,16}$/

function hasBadHeader({ headFault }: Exchange): boolean {
  return headFault?.type === 'validation_failed' && headFault.errors.some(({ field }) => field !== 'path')
}
