import { setTimeout as sleep } from 'node:timers/promises'
import type { GatewaySection } from '../config/config-schema.ts'
import type { ActiveExchanges } from '../limits/in-flight/active-exchanges.ts'
import type { Load } from '../limits/in-flight/load.ts'
import { EMPTY_QUEUE_MS, emptyAcceptQueue, quietTurns } from '../listen/accept-queue.ts'
import type { Listener } from '../listen/listener.ts'
import type { Log } from '../log.ts'

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
export async function drain(parts: DrainParts): Promise<void> {
  const { config, state, listener, load, log, links } = parts
  log.info('draining', { in_flight: load.active.length, seconds: config.drain_seconds })
  state.draining = true
  if (config.drain_delay_seconds > 0) {
    // Proxies empty their pools of connections meanwhile: a request on one of them would be refused after the delay.
    listener.dropKeepAlive()
    await sleep(config.drain_delay_seconds * 1000)
  }
  const drainMs = config.drain_seconds * 1000
  const endsAt = performance.now() + drainMs
  await emptyAcceptQueue(() => listener.accepted, Math.min(EMPTY_QUEUE_MS, drainMs / 2), drainMs)
  // Requests are refused only after the last connection is accepted: one accepted meanwhile is still served.
  await listener.drain(endsAt)
  await until(() => listener.silent === 0, Math.min(FIRST_REQUEST_MS, drainMs / 2))
  state.closing = true
  links.endSubscriptions()
  let isOver: boolean
  do {
    isOver = performance.now() >= endsAt
    await finish(parts, endsAt)
    // A quiet connection may have carried one more request in its last moment.
  } while (load.active.length > 0 && !isOver)
  log.info('drained')
}

/** Waits for requests in flight, then for connections that their clients may still use. */
async function finish({ config, listener, load, log }: DrainParts, endsAt: number): Promise<void> {
  const leftMs = () => Math.max(0, endsAt - performance.now())
  const finished = await load.idle(leftMs())
  if (!finished) await cancelRest(load, log)
  // Answers carry `Connection: close` by now; quiet connections get a moment, so that none is reset.
  await until(() => listener.connections === 0, LINGER_MS)
  // A proxy keeps a connection that was promised to it as long as it keeps any idle one: shorter than the delay.
  const promisedMs = Math.min(config.drain_delay_seconds * 1000 - LINGER_MS, leftMs())
  await until(() => listener.promised === 0 || load.active.length > 0, promisedMs)
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

/** Resolves when something is over, or after a time in which everything that had arrived was read. */
async function until(isOver: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs
  while (!isOver() && performance.now() < end) await sleep(STEP_MS)
  // In a turn timers come before sockets: after a late one, a request could wait unread that came in time.
  await quietTurns()
}
