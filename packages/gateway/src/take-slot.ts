import { limitExceeded } from './error-codes.ts'
import type { Exchange, StepResult } from './exchange.ts'
import type { GatewayParts } from './gateway-parts.ts'

/** How long a tenant with all its streams open is told to wait (Limits, retryAfter). */
const RETRY_AFTER_SECONDS = 60

/** Takes one of the tenant's stream slots when the request streams; `respond.ts` gives it back. */
export function takeSlot(exchange: Exchange, { slots, load, metrics }: GatewayParts): StepResult {
  if (!exchange.streaming) return undefined
  exchange.releaseSlot = slots.take(exchange.tenantId ?? '')
  if (exchange.releaseSlot === undefined) {
    exchange.streamError = 'limit_exceeded'
    return limitExceeded(RETRY_AFTER_SECONDS)
  }
  load.streamStarted()
  metrics.streamOpened(exchange)
  return undefined
}
