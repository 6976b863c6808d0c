import { type Exchange, type StepResult, Trail } from '../exchange.ts'
import { admit, answerPreflight } from './admit.ts'
import { answerApprovalsPage } from './approvals-page.ts'
import { callOnce } from './call-once.ts'
import { callUpstream } from './call-upstream.ts'
import { answerMcp } from './mcp-endpoint.ts'
import { answerOwnPath } from './own-endpoints.ts'
import type { Parts } from './parts.ts'
import { pipeline } from './pipeline.ts'
import { enter, fail, finish, respond } from './respond.ts'
import { findRoute } from './route.ts'
import { takeSlot } from './take-slot.ts'

/** The whole life of a request. Each step returns nothing to go on, or the outcome that ends the request. */
export async function handle(exchange: Exchange, parts: Parts): Promise<void> {
  if (answerOwnPath(exchange, parts) || answerPreflight(exchange, parts)) return
  if (answerMcp(exchange, parts, handle)) return
  const isPage = answerApprovalsPage(exchange, parts)
  if (isPage === true || (isPage !== false && (await isPage))) return
  enter(exchange, parts)
  // Times are measured only if somebody will ask for them.
  if (parts.watchers.length > 0) exchange.trail = new Trail()
  try {
    // First, so that a refusal is counted under its route.
    const unrouted = findRoute(exchange, parts)
    exchange.trail?.end('route')
    const early = admit(exchange, parts) ?? unrouted ?? pipeline(exchange, parts)
    // A wait for a value that is there already would still take a turn of the queue.
    const stopped = early instanceof Promise ? await early : early
    const refused = stopped ?? (await callOnce(exchange, parts, callService))
    if (refused !== undefined) respond(exchange, refused, parts)
  } catch (error) {
    fail(exchange, parts, error)
  } finally {
    finish(exchange, parts)
  }
}

function callService(exchange: Exchange, parts: Parts): Promise<StepResult> {
  return exchange.streaming ? callForStream(exchange, parts) : callUpstream(exchange, parts)
}

async function callForStream(exchange: Exchange, parts: Parts): Promise<StepResult> {
  return (await takeSlot(exchange, parts)) ?? (await callUpstream(exchange, parts))
}
