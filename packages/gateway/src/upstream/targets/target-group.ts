import type { UpstreamConfig } from '../../config/config-schema.ts'
import type { Log } from '../../log.ts'
import type { Held } from '../shared-resources.ts'
import { chooseTarget, mayEject } from './choose-target.ts'
import { RetryBudget } from './retry-budget.ts'
import type { Target, TargetAddress } from './target.ts'
import type { TargetCondition, TargetResult, TargetState } from './target-state.ts'

/** Counts what happens at targets. */
export interface TargetCounts {
  /** Makes the counter of the requests that end at a target. */
  targetCounter(upstream: string, target: string): (result: TargetResult) => void
  /** Counts an ejection. */
  targetEjected(upstream: string, target: string): void
}

/** A target in its group. */
export interface Member {
  /** Its name in metrics, which must not show addresses: the lowest free number from 1. */
  readonly number: string
  readonly weight: number
  readonly target: Target
  readonly state: TargetState
}

/** The state of a target, for metrics, readiness and the console. */
export interface MemberState {
  readonly number: string
  readonly url: string
  readonly weight: number
  readonly condition: TargetCondition
  readonly active: number
}

/** The parts of a group. */
export interface GroupParts {
  readonly name: string
  readonly options: Pick<UpstreamConfig, 'eject' | 'retry' | 'health' | 'dns'>
  readonly hold: (address: TargetAddress) => Held<Target>
  readonly counts: TargetCounts
  readonly log: Log
}

class HeldMember implements Member {
  readonly number: string
  readonly weight: number
  readonly held: Held<Target>
  readonly count: (result: TargetResult) => void
  /** Requests of this group; the target may have those of another one too. */
  active = 0
  isRetired = false

  constructor({ number, weight, held, count }: Pick<HeldMember, 'number' | 'weight' | 'held' | 'count'>) {
    this.number = number
    this.weight = weight
    this.held = held
    this.count = count
  }

  get target(): Target {
    return this.held.value
  }

  get state(): TargetState {
    return this.held.value.state
  }

  releaseIfDrained(): void {
    if (this.isRetired && this.active === 0) void this.held.release()
  }
}

/** The targets of one upstream: chooses among them, and takes failing ones out. */
export class TargetGroup {
  readonly name: string
  /** Resolves when a name has been resolved for the first time; undefined from then on. */
  ready: Promise<void> | undefined = undefined
  /** The last look-up of the name failed. */
  isStale = false
  private readonly parts: GroupParts
  private readonly budget = new RetryBudget()
  private members: readonly HeldMember[] = []
  private readonly retired = new Set<HeldMember>()
  private onClose: (() => void) | undefined = undefined

  constructor(parts: GroupParts) {
    this.parts = parts
    this.name = parts.name
  }

  /** How often a request may go to another target. */
  get attempts(): number {
    return this.parts.options.retry.attempts
  }

  get states(): readonly MemberState[] {
    const now = performance.now()
    return this.members.map(({ number, weight, state, target: { url } }) => ({
      number,
      url,
      weight,
      condition: state.condition(now),
      active: state.active,
    }))
  }

  /** Uses these targets from now on. Requests at the others end there; their connections close with the last one. */
  use(addresses: readonly TargetAddress[]): void {
    const known = new Map(this.members.map((member) => [member.target.url, member]))
    const wanted = new Set(addresses.map(({ url }) => url))
    const kept = this.members.filter(({ target }) => wanted.has(target.url))
    const numbers = new Set([...kept, ...this.retired].map(({ number }) => number))
    const added = addresses
      .filter(({ url }) => !known.has(url))
      .map((address) => this.member(address, freeNumber(numbers)))
    for (const member of this.members) if (!wanted.has(member.target.url)) this.retire(member)
    this.members = [...kept, ...added]
  }

  /** Counts a request and chooses its target; undefined when all are out. */
  choose(): Member | undefined {
    const now = performance.now()
    this.budget.count(now)
    return chooseTarget(this.members, { now, random: Math.random, without: [] })
  }

  /** A target for a look-up of the gateway's own; undefined when all are out. */
  anyTarget(): Target | undefined {
    return this.chooseOther([])?.target
  }

  /** Another target for a request whose queue is full at the tried ones. */
  chooseOther(without: readonly Member[]): Member | undefined {
    const tried = without as readonly HeldMember[]
    return chooseTarget(this.members, { now: performance.now(), random: Math.random, without: tried })
  }

  /** Another target for a retry; undefined when none is open or the budget is used up. */
  chooseRetry(without: readonly Member[]): Member | undefined {
    const other = this.chooseOther(without)
    return other !== undefined && this.budget.take(performance.now()) ? other : undefined
  }

  /** A request was given to a target. */
  began(member: Member): void {
    const held = member as HeldMember
    held.active += 1
    held.state.active += 1
  }

  /** A request has ended at a target, or was never sent. */
  ended(member: Member): void {
    const held = member as HeldMember
    held.active -= 1
    held.state.active -= 1
    if (!held.isRetired) return
    held.releaseIfDrained()
    if (held.active === 0) this.retired.delete(held)
  }

  /** Judges a target by the end of a request. */
  settled(member: Member, result: TargetResult): void {
    const { counts, log, options } = this.parts
    const { eject } = options
    const { number, state, target, count } = member as HeldMember
    count(result)
    if (!state.isFailing(result, eject)) return
    const now = performance.now()
    if (!state.isOpen(now)) return
    const out = this.members.filter((each) => !each.state.isOpen(now)).length
    if (!mayEject(this.members.length, out, eject.max_percent)) return
    state.eject(result, eject, now)
    counts.targetEjected(this.name, number)
    log.warn('a target is out: its requests fail', { upstream: this.name, target: target.url, result })
  }

  /** The seconds until a request may find a target again. */
  retryAfterSeconds(): number {
    const now = performance.now()
    const { health, dns } = this.parts.options
    const ends = this.members.flatMap(({ state }) => state.reopensAt(now) ?? [])
    if (ends.length > 0) return Math.max(1, Math.ceil((Math.min(...ends) - now) / 1000))
    return health?.interval_seconds ?? dns?.refresh_seconds ?? 1
  }

  /** Ends with the group. */
  closeWith(close: () => void): void {
    this.onClose = close
  }

  /** Releases every target; nobody may use the group any more. */
  async close(): Promise<void> {
    this.onClose?.()
    await Promise.all([...this.members, ...this.retired].map(({ held }) => held.release()))
  }

  private member(address: TargetAddress, number: string): HeldMember {
    const { hold, counts } = this.parts
    const count = counts.targetCounter(this.name, number)
    return new HeldMember({ number, weight: address.weight, held: hold(address), count })
  }

  private retire(member: HeldMember): void {
    member.isRetired = true
    if (member.active > 0) this.retired.add(member)
    member.releaseIfDrained()
  }
}

/** The lowest number from 1 that is not taken; takes it. */
function freeNumber(taken: Set<string>): string {
  let number = 1
  while (taken.has(String(number))) number += 1
  taken.add(String(number))
  return String(number)
}
