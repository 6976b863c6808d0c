import { acceptsType, type Outcome } from '@agentic-rest/profile'
import type { RouteConfig } from '../config/config-schema.ts'
import { invalidRequest, refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { NEIGHBOUR_FAULT } from '../lifetime/router.ts'
import { setDeadline } from '../limits/in-flight/deadlines.ts'
import type { Parts } from './parts.ts'

/** A stream may be read this much longer than its operation may take. */
const STREAM_SURPLUS_SECONDS = 30

/** Finds the route of a request and starts its deadline. */
export function findRoute(exchange: Exchange, { snapshot }: Parts): StepResult {
  const { headFault } = exchange
  // A refused head may have no path to match.
  if (headFault !== undefined && !isMisplacedBody(headFault)) return undefined
  const match = snapshot.router.match(exchange.method, exchange.path)
  // A body where none belongs matters only to a method of the path; for others 405 is the answer.
  if (headFault !== undefined && (match.route !== undefined || match.allowedMethods.length === 0))
    return undefined
  if (match.route === undefined) {
    exchange.allowedMethods = match.allowedMethods
    return refusal(match.allowedMethods.length === 0 ? 'ROUTE_NOT_FOUND' : 'METHOD_NOT_ALLOWED')
  }
  exchange.route = match.route
  exchange.params = match.params
  if (match.isNeighbour) return invalidRequest('path', NEIGHBOUR_FAULT)
  exchange.streaming =
    match.route.mode === 'sse' && acceptsType(exchange.headers['accept'], 'text/event-stream')
  startDeadline(exchange, match.route)
  return undefined
}

/** Whether the only fault of a head is a body that its method must not have. */
function isMisplacedBody(fault: Outcome): boolean {
  return fault.type === 'validation_failed' && fault.errors.every(({ field }) => field === 'body')
}

/** The time of the whole request counts from the arrival of its head; 0 means that it has none. */
function startDeadline(exchange: Exchange, { executionTimeoutSeconds }: RouteConfig): void {
  if (executionTimeoutSeconds === 0) return
  const seconds = executionTimeoutSeconds + (exchange.streaming ? STREAM_SURPLUS_SECONDS : 0)
  setDeadline(exchange, exchange.startedAt + seconds * 1000)
}
