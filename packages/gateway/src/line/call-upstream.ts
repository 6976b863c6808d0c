import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { checkResponse } from '../upstream/check-response.ts'
import { forward } from '../upstream/forward.ts'
import { traceContext } from '../upstream/trace-context.ts'
import { deliver } from './deliver.ts'
import { deliveredResult } from './exchange-result.ts'
import type { GatewayParts } from './parts.ts'

/** Forwards the request, checks the answer and delivers it; returns what to answer instead when that fails. */
export async function callUpstream(exchange: Exchange, parts: GatewayParts): Promise<StepResult> {
  const { route } = exchange
  if (route === undefined) return refusal('ROUTE_NOT_FOUND')
  const { limits, cors } = parts.snapshot.config.gateway
  const { pool, basePath } = parts.snapshot.pools.get(route.config)
  const { traceparent } = traceContext(exchange)
  const forwarded = await forward(exchange, route, { pool, basePath, traceparent, log: parts.log })
  if ('refused' in forwarded) {
    if (exchange.streaming && forwarded.refused.type === 'failed_dependency')
      exchange.streamError = 'upstream_error'
    return forwarded.refused
  }
  const maxBytes = limits.max_agentic_response_bytes
  const checking = checkResponse(exchange, route, { answer: forwarded.answer, maxBytes })
  const checked = checking instanceof Promise ? await checking : checking
  if ('refused' in checked) return checked.refused
  const delivering = deliver(exchange, checked.checked, { ownsCors: cors !== undefined })
  const delivery = delivering instanceof Promise ? await delivering : delivering
  exchange.result = deliveredResult(checked.checked, delivery)
  if (exchange.streaming && delivery !== 'complete' && delivery !== 'shutdown')
    exchange.streamError = delivery
  return undefined
}
