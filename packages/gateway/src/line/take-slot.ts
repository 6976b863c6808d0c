import { limitExceeded } from '../errors.ts'
import type { Exchange, StepResult } from '../exchange.ts'
import type { ReleaseSlot } from '../slots/stream-slots.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import type { GatewayParts } from './parts.ts'

/** How long a tenant with all its streams open is told to wait (Limits, retryAfter). */
const RETRY_AFTER_SECONDS = 60

/** Takes one of the tenant's stream slots for a request that streams; `respond.ts` gives it back. */
export function takeSlot(exchange: Exchange, parts: GatewayParts): StepResult | Promise<StepResult> {
  const taken = parts.slots.take(exchange.tenantId ?? '')
  return taken instanceof Promise
    ? whileWaitedFor(taken, exchange).then((release) => openStream(exchange, parts, release))
    : openStream(exchange, parts, taken)
}

/** A slot that comes after its request has ended goes back at once: nobody else knows of it. */
function whileWaitedFor(
  taking: Promise<ReleaseSlot | undefined>,
  { signal }: Exchange,
): Promise<ReleaseSlot | undefined> {
  return unlessCancelled(taking, signal).catch((reason: unknown) => {
    void taking.then((release) => release?.())
    throw reason
  })
}

function openStream(
  exchange: Exchange,
  { load, metrics }: GatewayParts,
  release: ReleaseSlot | undefined,
): StepResult {
  exchange.releaseSlot = release
  if (release === undefined) {
    exchange.streamError = 'limit_exceeded'
    return limitExceeded(RETRY_AFTER_SECONDS)
  }
  load.streamStarted()
  metrics.streamOpened(exchange)
  return undefined
}
