import { type Exchange, type StepResult, unlessCancelled } from '../exchange.ts'
import { refuse } from '../limits/refuse.ts'
import type { ReleaseSlot } from '../limits/streams/stream-slots.ts'
import type { UpstreamAnswer } from '../upstream/dispatch.ts'
import type { Parts } from './parts.ts'

/**
 * Takes a stream slot for an answer that is an event stream although the client did not ask for one. Without a free slot
 * the upstream is aborted.
 */
export async function takeLateSlot(
  exchange: Exchange,
  { body }: UpstreamAnswer,
  parts: Parts,
): Promise<StepResult> {
  if (exchange.slot !== 'none') return undefined
  // Without the pause a fast upstream fills our memory while a store outside this process is asked (F13).
  body.pause()
  const refused = await takeSlot(exchange, parts)
  if (refused === undefined) body.resume()
  else body.abort()
  return refused
}

/** Takes one of the tenant's stream slots; `finish` gives it back. */
export async function takeSlot(exchange: Exchange, { slots, load, metrics }: Parts): Promise<StepResult> {
  exchange.step = 'take-slot'
  const taken = slots.take(exchange.tenantId ?? '')
  const release = taken instanceof Promise ? await untilTaken(taken, exchange) : taken
  exchange.trail?.end('take-slot')
  if (release === undefined) {
    exchange.slot = 'refused'
    return refuse(exchange, 'max_sse_connections_per_tenant')
  }
  exchange.slot = 'taken'
  exchange.releaseSlot = release
  load.streamStarted(exchange)
  metrics.streamOpened(exchange)
  return undefined
}

/** A slot that arrives after its request has ended is released at once: nobody else knows of it. */
function untilTaken(
  taking: Promise<ReleaseSlot | undefined>,
  { signal }: Exchange,
): Promise<ReleaseSlot | undefined> {
  return unlessCancelled(taking, signal).catch((reason: unknown) => {
    taking.then(
      (release) => release?.(),
      () => undefined,
    )
    throw reason
  })
}
