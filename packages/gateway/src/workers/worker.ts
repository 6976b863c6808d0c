import { dirname, resolve } from 'node:path'
import type { Writable } from 'node:stream'
import { parseConfig } from '../config/parse-config.ts'
import type { Environment } from '../config/source/interpolation.ts'
import { InitialisationError } from '../errors.ts'
import { createGateway, type Gateway } from '../gateway.ts'
import type { ConfigSource } from '../lifetime/reload.ts'
import type { Log } from '../log.ts'
import { createStreamSlots } from '../slots/shared-slots.ts'
import type { StreamSlots } from '../slots/stream-slots.ts'
import { createAskedSlots } from './asked-slots.ts'
import { createBatchedOutput } from './batched-output.ts'
import { type Channel, createChannel, type Desk, type Peer } from './channel.ts'
import type { Boot, PrimaryDesk } from './desks.ts'
import { divideLimits } from './divide-limits.ts'
import { createTwofoldSlots } from './twofold-slots.ts'
import { createWorkerTies, type WorkerTies } from './worker-ties.ts'

/** What a worker has of the process it runs in. */
export interface WorkerWorld {
  /** The way to the primary: `process`. */
  readonly peer: Peer
  readonly env: Environment
  readonly version: string
  readonly stdout: Writable
  readonly openLog: (options: Boot['log']) => Log
}

type Primary = Channel<PrimaryDesk & Desk>

/** Runs one worker from its start to the end of its drain; resolves with whether it ever took requests. */
export async function joinPrimary(world: WorkerWorld): Promise<boolean> {
  const desk: Record<string, Desk[string]> = {}
  const primary: Primary = createChannel(world.peer, desk)
  const toldToEnd = endOf(world.peer, desk)
  const boot = await primary.ask('boot', null)
  const ties = createWorkerTies(primary, boot)
  const log = logOf(boot, world.openLog(boot.log), ties)
  try {
    const gateway = openGateway({ boot, world, ties, log, primary })
    Object.assign(desk, ties.desk(gateway))
    await gateway.start()
    primary.tell('started', { adminPort: gateway.adminPort })
    await toldToEnd
    await gateway.drain()
    primary.tell('counts', gateway.metrics.counts())
    return true
  } catch (error) {
    await primary.ask('failed', failureOf(error)).catch(() => undefined)
    return false
  }
}

/** Resolves when the primary says so, or is gone: without it nobody hands over connections. */
function endOf(peer: Peer, desk: Record<string, Desk[string]>): Promise<void> {
  return new Promise((end) => {
    desk['drain'] = () => end()
    peer.on('disconnect', end)
  })
}

function failureOf(error: unknown) {
  if (error instanceof InitialisationError) return { reason: error.message, isInitialisation: true }
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { reason, isInitialisation: false }
}

/** Says which worker it is. What is unwise about a configuration is told by the first worker alone, and once. */
function logOf({ index }: Boot, log: Log, { tellsWarnings }: WorkerTies): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      if (fields['warning'] === undefined || tellsWarnings())
        log[level](message, { ...fields, worker: index })
    }
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}

interface Opening {
  readonly boot: Boot
  readonly world: WorkerWorld
  readonly ties: WorkerTies
  readonly log: Log
  readonly primary: Primary
}

function openGateway({ boot, world, ties, log, primary }: Opening): Gateway {
  const { file, consoleFolder } = boot
  const source = sourceOf(boot, world, ties)
  const loaded = source.read()
  if (!loaded.ok) throw new InitialisationError('the configuration is not valid any more')
  return createGateway({
    ...loaded,
    log,
    source,
    stdout: createBatchedOutput(world.stdout),
    baseFolder: dirname(resolve(file)),
    version: world.version,
    admin: { consoleFolder, file },
    siblings: ties.siblings,
    streamSlots: (limit, world) => slotsOf(primary, world.shared && createStreamSlots(limit, world)),
  })
}

/** Slots of all workers, and of all machines where they share theirs. */
function slotsOf(primary: Primary, shared: StreamSlots | undefined): StreamSlots {
  const ofWorkers = createAskedSlots({
    take: (tenantId) => primary.ask('takeSlot', tenantId),
    release: (id) => primary.tell('releaseSlot', id),
  })
  return shared === undefined ? ofWorkers : createTwofoldSlots(ofWorkers, shared)
}

/** The configuration that the primary has checked, with this worker's part of what is divided. */
function sourceOf(boot: Boot, { env }: WorkerWorld, ties: WorkerTies): ConfigSource {
  const { file } = boot
  return {
    file,
    read() {
      const parsed = parseConfig(ties.text(), { file, env })
      if (!parsed.ok) return parsed
      const config = divideLimits(parsed.config, boot)
      if (boot.index === 1) return { ...parsed, config }
      // One process has the admin listener, and with it everything that is told of it.
      const { admin: _, ...gateway } = config.gateway
      return { ...parsed, config: { ...config, gateway } }
    },
  }
}
