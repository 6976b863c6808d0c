import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import type { Route } from '../lifetime/router.ts'
import { acceptsEventStream } from './accepts-event-stream.ts'
import type { GatewayParts } from './parts.ts'

/** A stream may be read this much longer than its operation may take. */
const STREAM_SURPLUS_SECONDS = 30

/** Finds the route of a request and starts its deadline. */
export function findRoute(exchange: Exchange, { snapshot }: GatewayParts): StepResult {
  // A head that is refused may have no path to go by.
  if (exchange.headFault !== undefined) return undefined
  const match = snapshot.router.match(exchange.method, exchange.path)
  if (match.route === undefined) {
    exchange.allowedMethods = match.allowedMethods
    return refusal(match.allowedMethods.length === 0 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED')
  }
  exchange.route = match.route
  exchange.params = match.params
  exchange.streaming = match.route.config.mode === 'sse' && acceptsEventStream(exchange.headers['accept'])
  startDeadline(exchange, match.route)
  return undefined
}

/** One timer for the whole request, exact (F7). It counts from the arrival of the head; 0 means none. */
function startDeadline(exchange: Exchange, { config }: Route): void {
  if (config.executionTimeoutSeconds === 0) return
  const seconds = config.executionTimeoutSeconds + (exchange.streaming ? STREAM_SURPLUS_SECONDS : 0)
  const leftMs = seconds * 1000 - (performance.now() - exchange.startedAt)
  // One that waited in a pipeline may be too late already; Node warns of a negative time.
  exchange.deadline = setTimeout(() => exchange.cancel('timeout'), Math.max(1, leftMs))
}
