import type { UpstreamTarget } from '../upstream-pool.ts'
import type { TargetResult } from './target-state.ts'

/** A target as its destination offers it. */
export interface Member {
  readonly target: UpstreamTarget
}

/** Where the requests of a route go: the targets of an upstream, or one target. */
export interface Destination {
  /** Resolves when a name has been resolved for the first time; undefined from then on. */
  readonly ready: Promise<void> | undefined
  /** How often a request may go to another target. */
  readonly attempts: number
  /** Counts a request and chooses its target; undefined when all are out. */
  choose(): Member | undefined
  /** Another target for a request whose queue is full at the tried ones. */
  chooseOther(without: readonly Member[]): Member | undefined
  /** Another target for a retry; undefined when none is open or the budget is used up. */
  chooseRetry(without: readonly Member[]): Member | undefined
  /** A target for a look-up of the gateway's own; undefined when all are out. */
  anyTarget(): UpstreamTarget | undefined
  /** A request was given to a target. */
  began(member: Member): void
  /** A request has ended at a target, or was never sent. */
  ended(member: Member): void
  /** Judges a target by the end of a request. */
  settled(member: Member, result: TargetResult): void
  /** The seconds until a request may find a target again. */
  retryAfterSeconds(): number
}

/** The `target` of a route: a group of one. It is never out, and there is no other target to try. */
export class SoleTarget implements Destination, Member {
  readonly ready = undefined
  readonly attempts = 0
  readonly target: UpstreamTarget

  constructor(target: UpstreamTarget) {
    this.target = target
  }

  choose(): Member {
    return this
  }

  chooseOther(): undefined {}

  chooseRetry(): undefined {}

  anyTarget(): UpstreamTarget {
    return this.target
  }

  began(): void {}

  ended(): void {}

  settled(): void {}

  retryAfterSeconds(): number {
    return 1
  }
}
