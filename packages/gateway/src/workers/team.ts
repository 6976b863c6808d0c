import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../log.ts'
import type { Started } from './desks.ts'
import type { Member } from './member.ts'

/** The workers of a gateway: one in each place, and another one where one has died. */
export interface Team {
  /** Those that take requests. */
  readonly members: ReadonlySet<Member>
  /** Fills every place; rejects with the first reason when one cannot be filled, and leaves none running. */
  start(): Promise<void>
  /** From now on a place that becomes empty stays so; resolves when all are. */
  end(withinMs: number): Promise<void>
  /** Ends all of them at once. */
  kill(): void
}

/** What a team is made with. */
export interface TeamOptions {
  readonly count: number
  readonly log: Log
  /** Starts the process of a place; `isFirst` when none was there before it. */
  readonly startMember: (index: number, isFirst: boolean) => Member
  readonly onStarted: (member: Member, started: Started) => void
  /** Another one is started in the place of one that is gone. */
  readonly onReplaced: () => void
  /** Lets one thing happen at a time: who starts gets the configuration that all the others have. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000
/** Who has run for so long did not fail because of how it started. */
const STEADY_MS = 30_000

/** Makes a team; nobody runs before its start. */
export function createTeam(options: TeamOptions): Team {
  const members = new Set<Member>()
  const running = new Set<Member>()
  const places = Array.from({ length: options.count }, (_, index) => index + 1)
  let ending = false
  const fill = async (index: number, isFirst: boolean): Promise<Member> => {
    const member = options.startMember(index, isFirst)
    running.add(member)
    void member.process.ended.then(() => {
      running.delete(member)
      members.delete(member)
    })
    options.onStarted(member, await member.started)
    members.add(member)
    return member
  }
  const keepFilled = async (index: number, first: Member) => {
    let pauseMs = FIRST_PAUSE_MS
    for (let member: Member | undefined = first; !ending; ) {
      const since = performance.now()
      if (member !== undefined) await watchOver(member, { options, isEnding: () => ending })
      if (ending) return
      if (performance.now() - since > STEADY_MS) pauseMs = FIRST_PAUSE_MS
      await sleep(pauseMs, undefined, { ref: false })
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
      member = await refill(index, { options, fill, isEnding: () => ending })
    }
  }
  return {
    members,
    async start() {
      const started = await Promise.all(places.map((index) => fill(index, true)))
      for (const member of started) void keepFilled(member.index, member)
    },
    async end(withinMs) {
      ending = true
      for (const member of running) if (!members.has(member)) member.process.kill()
      const timer = setTimeout(() => kill(running, options.log), withinMs)
      await Promise.all([...running].map(({ process }) => process.ended))
      clearTimeout(timer)
    },
    kill() {
      ending = true
      for (const { process } of running) process.kill()
    },
  }
}

function kill(running: ReadonlySet<Member>, log: Log): void {
  for (const { index, process } of running) {
    log.warn('a worker did not end in time', { worker: index, pid: process.pid })
    process.kill()
  }
}

interface Watching {
  readonly options: TeamOptions
  readonly isEnding: () => boolean
}

/** Resolves when a worker has ended. */
async function watchOver(member: Member, { options, isEnding }: Watching): Promise<void> {
  const how = await member.process.ended
  if (isEnding()) return
  const { index, process } = member
  options.log.error('a worker ended and is replaced', { worker: index, pid: process.pid, how })
}

interface Refilling extends Watching {
  readonly fill: (index: number, isFirst: boolean) => Promise<Member>
}

/** Tries once; nothing when that failed. */
async function refill(index: number, { options, fill, isEnding }: Refilling): Promise<Member | undefined> {
  let member: Member | undefined
  try {
    await options.inTurn(async () => {
      if (isEnding()) return
      options.onReplaced()
      member = await fill(index, false)
      const { pid } = member.process
      options.log.info('a worker has taken the place of one that ended', { worker: index, pid })
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!isEnding()) options.log.error('a worker could not be replaced yet', { worker: index, reason })
  }
  return member
}
