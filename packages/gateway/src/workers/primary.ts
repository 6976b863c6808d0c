import type { Readable, Writable } from 'node:stream'
import type { Gateway } from '../gateway.ts'
import { takeUpWaiting } from '../lifetime/drain.ts'
import type { ConfigSource } from '../lifetime/reload.ts'
import { createFrontDoor, type FrontDoor } from '../listen/front-door.ts'
import type { Log, LogLevel } from '../log.ts'
import type { Boot } from './desks.ts'
import { createLineRelay, splitLines } from './line-relay.ts'
import { type Member, startMember } from './member.ts'
import { createPrimaryDesk, forgetShown, type Opening } from './primary-desk.ts'
import { createPrimaryMetrics } from './primary-metrics.ts'
import { createReloadTogether, type ValidConfig } from './reload-together.ts'
import { createSlotKeeper } from './slot-keeper.ts'
import { createSpread } from './spread-connections.ts'
import { createTeam, type TeamOptions } from './team.ts'
import { createTurns } from './turns.ts'
import type { WorkerProgram } from './worker-process.ts'

/** What the process that leads the workers is made with. */
export interface PrimaryOptions {
  readonly loaded: ValidConfig
  readonly source: ConfigSource
  readonly program: WorkerProgram
  readonly log: Log
  /** How workers log. */
  readonly logging: { readonly level: LogLevel; readonly pretty: boolean }
  readonly stdout: Writable
  /** Takes whole lines of the workers' logs. */
  readonly writeLog: (lines: string) => void
  readonly consoleFolder: string | undefined
}

/** Leads the workers; to who runs it, it is a gateway. */
export interface Primary extends Pick<Gateway, 'start' | 'adminPort' | 'reload' | 'drain'> {
  /** Ends every worker at once, for a process that goes away itself. */
  kill(): void
}

/** What a drain takes beside its own times: last frames, lingering connections, audit records. */
const DRAIN_SURPLUS_MS = 10_000

/** Makes the primary. It listens and decides what all workers have in common, and serves nobody itself. */
export function createPrimary(options: PrimaryOptions): Primary {
  const state: State = { loaded: options.loaded, adminPort: undefined, looking: false }
  const { team, door, opening, relay, reloading } = createParts(options, state)
  return {
    reload: reloading.run,
    get adminPort() {
      return state.adminPort
    },
    async start() {
      try {
        const [port] = await Promise.all([opening.port, team.start()])
        return port
      } catch (error) {
        door.close()
        team.kill()
        throw error
      }
    },
    async drain() {
      const { drain_seconds, drain_delay_seconds } = state.loaded.config.gateway
      // The workers see to the door themselves, in their time.
      if (team.members.size === 0) door.close()
      for (const { process } of team.members) process.channel.tell('drain', null)
      await team.end((drain_seconds + drain_delay_seconds) * 1000 + DRAIN_SURPLUS_MS)
      await relay.settled()
    },
    kill: team.kill,
  }
}

interface State {
  loaded: ValidConfig
  adminPort: number | undefined
  /** Somebody reads the feed of the console. */
  looking: boolean
}

function createParts(options: PrimaryOptions, state: State) {
  const { log, source } = options
  const config = () => state.loaded.config.gateway
  const spread = createSpread(() => config().limits.max_connections)
  const slots = createSlotKeeper(() => config().llm.max_sse_connections_per_tenant)
  const metrics = createPrimaryMetrics()
  const relay = createLineRelay(options.stdout)
  const turns = createTurns()
  const door = createFrontDoor({ host: config().host, port: config().port, log }, spread.take)
  const opening = createOpening(config().workers, door)
  const use = (loaded: ValidConfig) => {
    state.loaded = loaded
  }
  const closeDoor = async () => {
    await takeUpWaiting(() => door.accepted)
    door.close()
    await spread.settled()
  }
  const members = () => team.members
  const current = () => state.loaded
  const reloading = createReloadTogether({ source, current, use, members, turns, metrics, log })
  const onStarted: TeamOptions['onStarted'] = (member, { adminPort }) => {
    state.adminPort = adminPort ?? state.adminPort
    spread.join(member)
  }
  const forget = (member: Member) => {
    for (const part of [spread, slots, reloading, metrics]) part.leave(member)
    forgetShown(member, { members, state })
  }
  const start: TeamOptions['startMember'] = (index, isFirst) => {
    const parts = { members, state, spread, slots, metrics, reloading, opening, closeDoor }
    const boot = () => bootOf({ index, isFirst }, options, state)
    const member = startMember(index, options.program, (self) => createPrimaryDesk(self, { ...parts, boot }))
    void member.process.ended.then(() => forget(member))
    relay.add(member.process.stdout)
    passLog(member.process.stderr, options.writeLog)
    return member
  }
  const onReplaced = metrics.restarted
  const { workers: count } = config()
  const team = createTeam({ count, log, inTurn: turns, startMember: start, onStarted, onReplaced })
  return { team, door, opening, relay, reloading }
}

function bootOf(
  place: Pick<Boot, 'index' | 'isFirst'>,
  { source, consoleFolder, logging }: PrimaryOptions,
  { loaded, looking }: State,
): Boot {
  const { workers: count } = loaded.config.gateway
  return { ...place, count, file: source.file, text: loaded.text, consoleFolder, log: logging, looking }
}

/** Opens the door when the last worker is ready: whoever can connect is answered. */
function createOpening(workers: number, door: FrontDoor): Opening {
  const { promise: port, resolve } = Promise.withResolvers<number>()
  let ready = 0
  return {
    port,
    ready() {
      ready += 1
      if (ready === workers) resolve(door.open())
      return port
    },
  }
}

/** What a process that died has left of a line may be the reason why: it is told too. */
function passLog(stderr: Readable, write: (lines: string) => void): void {
  const rest = splitLines(stderr, (lines) => write(String(lines)))
  const tellRest = () => {
    const left = String(rest())
    if (left !== '') write(`${left}\n`)
  }
  stderr.on('error', () => undefined).once('end', tellRest)
}
