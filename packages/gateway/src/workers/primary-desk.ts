import { settledWithin } from '../lifetime/settled-within.ts'
import type { Desk } from './channel.ts'
import type { Boot, PrimaryDesk, WorkerDesk } from './desks.ts'
import type { Member } from './member.ts'
import type { PrimaryMetrics } from './primary-metrics.ts'
import type { ReloadTogether } from './reload-together.ts'
import type { SlotKeeper } from './slot-keeper.ts'
import type { Spread } from './spread-connections.ts'

/** The moment when clients can come. */
export interface Opening {
  /** Resolves with the port. */
  readonly port: Promise<number>
  /** One more worker could take connections. */
  ready(): Promise<number>
}

/** What the primary answers its workers from. */
export interface DeskParts {
  /** Those that take requests. */
  readonly members: () => Iterable<Member>
  /** Whether somebody reads the feed. */
  readonly state: { looking: boolean }
  readonly spread: Spread
  readonly slots: SlotKeeper<Member>
  readonly metrics: PrimaryMetrics
  readonly reloading: ReloadTogether
  readonly opening: Opening
  readonly closeDoor: () => Promise<void>
  readonly boot: () => Boot
}

type Answers = {
  readonly [Name in keyof Omit<PrimaryDesk, 'started' | 'failed'>]: (
    value: Parameters<PrimaryDesk[Name]>[0],
  ) => ReturnType<PrimaryDesk[Name]> | Promise<ReturnType<PrimaryDesk[Name]>>
}

/** What one worker can ask. */
export function createPrimaryDesk(self: () => Member, parts: DeskParts): Desk {
  const { spread, slots, metrics } = parts
  const answers: Answers = {
    boot: () => parts.boot(),
    ready: () => parts.opening.ready(),
    taken: () => spread.taken(self()),
    closed: (connections) => spread.closed(self(), connections),
    closeDoor: () => parts.closeDoor(),
    takeSlot: (tenantId) => slots.take(self(), tenantId),
    releaseSlot: (id) => slots.release(self(), id),
    metrics: async () => await metrics.expose(await askAll('metrics', null, parts.members())),
    counts: (values) => metrics.counted(self(), values),
    degraded: () => degradedReasons(parts),
    reload: () => parts.reloading.run(),
    agree: (faults) => parts.reloading.vote(self(), faults),
    look: (isLooking) => look(isLooking, self(), parts),
    feed: (batch) => first(parts)?.process.channel.tell('feed', { worker: self().index, batch }),
    records: async (id) => [...(await askAll('records', id, others(self(), parts))).values()].flat(),
    recent: async () => [...(await askAll('recent', null, others(self(), parts))).values()].flat(),
  }
  return answers as Desk
}

function others(self: Member, { members }: Pick<DeskParts, 'members'>): Member[] {
  return [...members()].filter((member) => member !== self)
}

/** The one with the admin listener. */
function first({ members }: Pick<DeskParts, 'members'>): Member | undefined {
  return [...members()].find(({ index }) => index === 1)
}

/** A worker that is stuck is left out, and what is known of it is not waited for. */
const ANSWER_MS = 1000

type Asked = 'metrics' | 'degraded' | 'records' | 'recent'

/** The answers of those who answered. */
async function askAll<Name extends Asked>(
  name: Name,
  value: Parameters<WorkerDesk[Name]>[0],
  members: Iterable<Member>,
): Promise<Map<Member, Awaited<ReturnType<WorkerDesk[Name]>>>> {
  const answers = new Map<Member, Awaited<ReturnType<WorkerDesk[Name]>>>()
  const asked = [...members].map(async (member) => {
    const answer = await member.process.channel.ask(name, value as never)
    answers.set(member, answer as Awaited<ReturnType<WorkerDesk[Name]>>)
  })
  await settledWithin(ANSWER_MS, Promise.allSettled(asked))
  return answers
}

async function degradedReasons({ members, boot, reloading }: DeskParts): Promise<readonly string[]> {
  const { count } = boot()
  const answers = await askAll('degraded', null, members())
  const reasons = new Set([...answers.values()].flat())
  if (reloading.last?.result === 'refused') reasons.add('configuration: the last reload was refused')
  if (answers.size < count) reasons.add(`workers: ${answers.size} of ${count} answer`)
  return [...reasons]
}

/** A worker that is gone shows nothing any more; without the one that shows, nobody looks. */
export function forgetShown(gone: Member, parts: Pick<DeskParts, 'members' | 'state'>): void {
  if (gone.index === 1) look(false, gone, parts)
  else first(parts)?.process.channel.tell('feed', { worker: gone.index, batch: undefined })
}

function look(isLooking: boolean, self: Member, parts: Pick<DeskParts, 'members' | 'state'>): void {
  parts.state.looking = isLooking
  for (const { process } of others(self, parts)) process.channel.tell('look', isLooking)
}
