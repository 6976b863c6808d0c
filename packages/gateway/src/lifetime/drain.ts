import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewaySection } from '../config/config-schema.ts'
import { EMPTY_QUEUE_MS, emptyAcceptQueue } from '../listen/accept-queue.ts'
import type { Listener } from '../listen/listener.ts'
import type { Log } from '../log.ts'
import type { ActiveExchanges } from './active-exchanges.ts'
import type { Load } from './load.ts'

/** The parts that a drain uses. */
export interface DrainParts {
  readonly config: Pick<GatewaySection, 'drain_seconds' | 'drain_delay_seconds'>
  readonly state: { draining: boolean; closing: boolean }
  readonly listener: Listener
  readonly load: Load
  readonly log: Log
  /** The streams of MCP clients that only listen. They would last as long as the drain. */
  readonly links: { endSubscriptions(): void }
}

/** Time for cancelled streams to send their last frame. */
const LAST_FRAME_MS = 2000
/** Time for the first request of connections that were accepted last: their clients could not know of the end. */
const FIRST_REQUEST_MS = 500
/** Time for idle connections to send one more request, which is answered with `Connection: close`. */
const LINGER_MS = 500
const STEP_MS = 20

/** Takes no new work, waits for requests in flight, then cancels the rest in an orderly way. */
export async function drain({ config, state, listener, load, log, links }: DrainParts): Promise<void> {
  log.info('draining', { in_flight: load.active.length, seconds: config.drain_seconds })
  state.draining = true
  if (config.drain_delay_seconds > 0) {
    // Proxies empty their pools of connections meanwhile: a request on one of them would be refused after the delay.
    listener.dropKeepAlive()
    await sleep(config.drain_delay_seconds * 1000)
  }
  const startedAt = performance.now()
  const drainMs = config.drain_seconds * 1000
  await emptyAcceptQueue(() => listener.accepted, Math.min(EMPTY_QUEUE_MS, drainMs / 2))
  // Requests are refused only after the last connection is accepted: one accepted meanwhile is still served.
  const endsAt = startedAt + drainMs
  await listener.drain(endsAt)
  await until(() => listener.silent === 0, Math.min(FIRST_REQUEST_MS, drainMs / 2))
  state.closing = true
  links.endSubscriptions()
  const finish = async () => {
    const finished = await load.idle(Math.max(0, endsAt - performance.now()))
    if (!finished) await cancelRest(load, log)
    // Answers carry `Connection: close` by now; quiet connections get a moment, so that none is reset.
    await until(() => listener.connections === 0, LINGER_MS)
  }
  await finish()
  // The connection of a stream may have carried one more request in that moment.
  if (load.active.length > 0) await finish()
  log.info('drained')
}

async function cancelRest(load: Load, log: Log): Promise<void> {
  log.warn('the time to drain is over', { cancelled: load.active.length })
  await cancelAll(load)
}

/** Cancels every exchange and waits for last frames and records, before the parts they use are closed. */
export async function cancelAll({ active, idle }: ActiveExchanges): Promise<void> {
  for (const exchange of [...active]) exchange.signal.cancel('shutdown')
  await idle(LAST_FRAME_MS)
}

async function until(isOver: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (!isOver() && performance.now() < end) await sleep(STEP_MS)
}
