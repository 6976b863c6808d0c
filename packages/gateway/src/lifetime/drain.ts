import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { GatewayOptions } from '../config/config-schema.ts'
import type { Listener } from '../listen/listener.ts'
import type { Log } from '../log.ts'
import type { ActiveExchanges } from './active-exchanges.ts'
import type { Load } from './load.ts'

/** What draining works on. */
export interface DrainParts {
  readonly config: Pick<GatewayOptions, 'drain_seconds' | 'drain_delay_seconds'>
  readonly state: { draining: boolean; closing: boolean }
  readonly listener: Listener
  readonly load: Load
  readonly log: Log
}

/** What is cancelled gets this long to send its last frame. */
const LAST_FRAME_MS = 2000
/** How long connections that are open but idle may still send a request and be told to go elsewhere. */
const LINGER_MS = 500
const LINGER_STEP_MS = 20

/** Finishes what is in flight: first no new work, then time to finish, then an orderly end for the rest. */
export async function drain({ config, state, listener, load, log }: DrainParts): Promise<void> {
  log.info('draining', { in_flight: load.active.length, seconds: config.drain_seconds })
  state.draining = true
  if (config.drain_delay_seconds > 0) await sleep(config.drain_delay_seconds * 1000)
  const startedAt = performance.now()
  const drainMs = config.drain_seconds * 1000
  await takeUpWaiting(() => listener.accepted, Math.min(TAKE_UP_MS, drainMs / 2))
  // First the door, then the refusals: whoever got in while other processes still let clients in is served.
  await listener.drain()
  state.closing = true
  const finished = await load.idle(Math.max(0, startedAt + drainMs - performance.now()))
  if (!finished) await cancelRest(load, log)
  await linger(listener)
  log.info('drained')
}

/** A turn ends, the kernel's queue is looked at in the next, and what the last connection has sent is read in the third. */
const QUIET_TURNS = 3
/** Where connections come as fast as they are taken up, it has to end some time. */
const TAKE_UP_MS = 2000

/**
 * A connection whose client has been told that it is open may still wait to be taken up, for long where the machine is
 * busy. Closing the listener resets it, and with it a request that came before the gateway was told to end. Node takes
 * up one connection a turn: it goes on until a turn brings none.
 */
export async function takeUpWaiting(accepted: () => number = () => 0, withinMs = TAKE_UP_MS): Promise<void> {
  const until = performance.now() + withinMs
  for (let quiet = 0; quiet < QUIET_TURNS && performance.now() < until; ) {
    const before = accepted()
    await turn()
    quiet = accepted() === before ? quiet + 1 : 0
  }
}

async function cancelRest(load: Load, log: Log): Promise<void> {
  log.warn('the time to drain is over', { cancelled: load.active.length })
  await cancelAll(load)
}

/** Ends every exchange, with time for a last frame and for its record, before what they use is taken away. */
export async function cancelAll({ active, idle }: ActiveExchanges): Promise<void> {
  for (const exchange of [...active]) exchange.signal.cancel('shutdown')
  await idle(LAST_FRAME_MS)
}

/** Answers carry `Connection: close` by now; a connection that is quiet is given a moment, so that none is reset. */
async function linger(listener: Listener): Promise<void> {
  const until = performance.now() + LINGER_MS
  while (listener.connections > 0 && performance.now() < until) await sleep(LINGER_STEP_MS)
}
