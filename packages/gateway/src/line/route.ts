import type { RouteConfig } from '../config/config-schema.ts'
import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import type { Parts } from './parts.ts'

/** A stream may be read this much longer than its operation may take. */
const STREAM_SURPLUS_SECONDS = 30

/** Finds the route of a request and starts its deadline. */
export function findRoute(exchange: Exchange, { snapshot }: Parts): StepResult {
  // A refused head may have no path to match.
  if (exchange.headFault !== undefined) return undefined
  const match = snapshot.router.match(exchange.method, exchange.path)
  if (match.route === undefined) {
    exchange.allowedMethods = match.allowedMethods
    return refusal(match.allowedMethods.length === 0 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED')
  }
  exchange.route = match.route
  exchange.params = match.params
  exchange.streaming = match.route.mode === 'sse' && acceptsEventStream(exchange.headers['accept'])
  startDeadline(exchange, match.route)
  return undefined
}

/** Starts one exact timer for the whole request (F7), counted from the arrival of the head; 0 means none. */
function startDeadline(exchange: Exchange, { executionTimeoutSeconds }: RouteConfig): void {
  if (executionTimeoutSeconds === 0) return
  const seconds = executionTimeoutSeconds + (exchange.streaming ? STREAM_SURPLUS_SECONDS : 0)
  const leftMs = seconds * 1000 - (performance.now() - exchange.startedAt)
  // A request that waited behind others on its connection may be late already; Node warns of a negative time.
  exchange.deadline = setTimeout(() => exchange.signal.cancel('timeout'), Math.max(1, leftMs))
}

/** Whether an `Accept` header asks for an event stream by name; a wildcard or a weight of zero does not. */
function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || !/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return (
      type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))
    )
  })
}
