import { limitExceeded } from '../errors.ts'
import { type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import type { ReleaseSlot } from '../slots/stream-slots.ts'
import type { Parts } from './parts.ts'

/** `retryAfter` for a tenant with all its streams open (Limits, retryAfter). */
const RETRY_AFTER_SECONDS = 60

/** Takes one of the tenant's stream slots for a request that streams; `finish` gives it back. */
export async function takeSlot(exchange: Exchange, { slots, load, metrics }: Parts): Promise<StepResult> {
  if (!exchange.streaming) return undefined
  const taken = slots.take(exchange.tenantId ?? '')
  const release = taken instanceof Promise ? await untilTaken(taken, exchange) : taken
  if (release === undefined) {
    exchange.slot = 'refused'
    return limitExceeded(RETRY_AFTER_SECONDS)
  }
  exchange.slot = 'taken'
  exchange.releaseSlot = release
  load.streamStarted()
  metrics.streamOpened(exchange)
  return undefined
}

/** A slot that arrives after its request has ended is released at once: nobody else knows of it. */
function untilTaken(
  taking: Promise<ReleaseSlot | undefined>,
  { signal }: Exchange,
): Promise<ReleaseSlot | undefined> {
  return unlessCancelled(taking, signal).catch((reason: unknown) => {
    void taking.then((release) => release?.())
    throw reason
  })
}
