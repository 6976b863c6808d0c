import { refusal } from './error-codes.ts'
import type { Exchange, StepResult } from './exchange.ts'
import type { GatewayParts } from './gateway-parts.ts'
import { isPreflight, preflightHeaders } from './listen/cors.ts'
import { sendPreflight } from './respond.ts'

/** What ends a request before anything is looked up for it. */
export function admit(exchange: Exchange, { snapshot, load, isClosing }: GatewayParts): StepResult {
  if (isClosing()) return refusal('SHUTTING_DOWN')
  if (exchange.headFault !== undefined) return exchange.headFault
  if (load.isOverloaded()) return refusal('OVERLOADED')
  const { max_body_bytes } = snapshot.config.gateway.limits
  return (exchange.body.length ?? 0) > max_body_bytes ? refusal('BODY_TOO_LARGE') : undefined
}

/** Answers a preflight, which carries no token, before the pipeline; false when the request is none. */
export function answerPreflight(exchange: Exchange, { snapshot, isClosing }: GatewayParts): boolean {
  const { cors } = snapshot.config.gateway
  if (cors === undefined || isClosing() || exchange.headFault !== undefined) return false
  if (!isPreflight(exchange.method, exchange.headers)) return false
  const methods = snapshot.router.methods(exchange.path)
  if (methods.length === 0) return false
  const known = cors.origins.includes(exchange.headers['origin'] ?? '')
  sendPreflight(exchange, known ? preflightHeaders(methods) : [])
  return true
}
