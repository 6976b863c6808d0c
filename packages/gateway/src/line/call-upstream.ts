import { refusal } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import { askForUsage, asksForUsage } from '../limits/usage/inject-usage.ts'
import { checkResponse } from '../upstream/check-response.ts'
import { forward } from '../upstream/forward.ts'
import { traceContext } from '../upstream/trace-context.ts'
import { deliver } from './deliver.ts'
import { keepAnswer } from './keep-answer.ts'
import type { Parts } from './parts.ts'
import { takeLateSlot } from './take-slot.ts'

/** Forwards the request, checks the answer and delivers it; returns the outcome that replaces an answer. */
export async function callUpstream(exchange: Exchange, parts: Parts): Promise<StepResult> {
  const { route } = exchange
  const { snapshot, log } = parts
  if (route === undefined) return refusal('ROUTE_NOT_FOUND')
  exchange.step = 'upstream'
  const { limits, cors } = snapshot.config.gateway
  const { signer, clientPath } = snapshot
  const asks = asksForUsage(route, exchange.countsUsage)
  const notAsked = asks ? await askForUsage(exchange, limits.max_body_bytes) : undefined
  if (notAsked !== undefined) return notAsked
  const { traceparent } = traceContext(exchange)
  const destination = snapshot.pools.get(route)
  const forwarded = await forward(exchange, route, { destination, traceparent, signer, clientPath, log })
  exchange.trail?.end('upstream')
  if ('refused' in forwarded) return forwarded.refused
  const { answer } = forwarded
  exchange.upstreamStatus = answer.status
  exchange.step = 'check-response'
  const checking = checkResponse(exchange, route, { answer, maxBytes: limits.max_agentic_response_bytes })
  const checked = checking instanceof Promise ? await checking : checking
  exchange.trail?.end('check-response')
  if ('refused' in checked) return checked.refused
  const kept = exchange.keyClaim === undefined ? checked : await keepAnswer(exchange, checked.checked)
  if ('refused' in kept) return kept.refused
  const { essence, isEventStream } = kept.checked
  const refused = isEventStream ? await takeLateSlot(exchange, answer, parts) : undefined
  if (refused !== undefined) return refused
  exchange.step = 'deliver'
  const delivering = deliver(exchange, kept.checked, { ownsCors: cors !== undefined })
  const end = delivering instanceof Promise ? await delivering : delivering
  exchange.trail?.end('deliver')
  exchange.delivery = { status: answer.status, essence, end }
  return undefined
}
