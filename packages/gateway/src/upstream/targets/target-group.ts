import type { UpstreamConfig } from '../../config/config-schema.ts'
import type { Log } from '../../log.ts'
import type { Held } from '../shared-resources.ts'
import { chooseTarget, mayEject } from './choose-target.ts'
import type { Destination, Member } from './destination.ts'
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

/** A target in its group. */
class HeldMember implements Member {
  /** Its name in metrics, which must not show addresses: the lowest free number from 1. */
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
export class TargetGroup implements Destination {
  readonly name: string
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

  choose(): Member | undefined {
    const now = performance.now()
    this.budget.count(now)
    return chooseTarget(this.members, { now, random: Math.random, without: [] })
  }

  anyTarget(): Target | undefined {
    return (this.chooseOther([]) as HeldMember | undefined)?.target
  }

  chooseOther(without: readonly Member[]): Member | undefined {
    const tried = without as readonly HeldMember[]
    return chooseTarget(this.members, { now: performance.now(), random: Math.random, without: tried })
  }

  chooseRetry(without: readonly Member[]): Member | undefined {
    const other = this.chooseOther(without)
    return other !== undefined && this.budget.take(performance.now()) ? other : undefined
  }

  began(member: Member): void {
    const held = member as HeldMember
    held.active += 1
    held.state.active += 1
  }

  ended(member: Member): void {
    const held = member as HeldMember
    held.active -= 1
    held.state.active -= 1
    if (!held.isRetired) return
    held.releaseIfDrained()
    if (held.active === 0) this.retired.delete(held)
  }

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
