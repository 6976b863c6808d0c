import type { Rate } from './gcra.ts'
import type { PeriodName } from './period.ts'

/** A request's demand on a rate. The key starts with the name of its policy and a blank. */
export interface RateDemand extends Rate {
  readonly type: 'rate'
  readonly key: string
  /** Refuse when the shared store is out of reach, instead of deciding alone. */
  readonly needsStore: boolean
}

/** A request's reservation of tokens or money. A reservation of 0 always fits. */
export interface BudgetDemand {
  readonly type: 'budget'
  readonly key: string
  readonly needsStore: boolean
  readonly per: PeriodName
  readonly limit: number
  readonly amount: number
}

/** One policy's demand of a request: plain JSON, which one process can send to another. */
export type Demand = RateDemand | BudgetDemand

/** The state of one policy for one key. */
export interface Standing {
  /** Requests, tokens or millionths that are left now. */
  readonly left: number
  /** The time until all of the limit is there again. */
  readonly resetUs: number
  /** The time until the demand fits; 0 when it fits now. */
  readonly waitUs: number
  /** The first second of a budget's period; 0 for a rate. */
  readonly period: number
}

/** The decision on all demands of a request. Either all of them are charged or none. */
export interface Decision {
  /** The position of the first demand that does not fit; -1 when all do. */
  readonly refused: number
  /** Whether the refused demand needs a store that is out of reach. */
  readonly isUnavailable: boolean
  /** Why the store is out of reach, as one word such as `ECONNREFUSED`. */
  readonly cause?: string
  /** The state of each demand, after it was charged. */
  readonly standings: readonly Standing[]
}

/** The end of a reservation. */
export interface Settlement {
  readonly key: string
  readonly per: PeriodName
  /** The period in which the reservation was made: an ended period changes nothing. */
  readonly period: number
  readonly reserved: number
  readonly used: number
}

/** How much of a budget its most active key has used. */
export interface BudgetUse {
  readonly policy: string
  readonly ratio: number
}

/** Keeps the counts of all limits: in this process, in the supervisor, or in Redis. */
export interface LimitStore {
  /** Decides on all demands of a request at once. A promise never rejects and settles soon. */
  decide(demands: readonly Demand[]): Decision | Promise<Decision>
  /** Replaces reservations by what was used. */
  settle(settlements: readonly Settlement[]): void
  /** The state of limits without a charge. */
  peek(demands: readonly Demand[]): Promise<readonly Standing[]>
  /** The highest use of each budget. */
  budgetUse(): readonly BudgetUse[]
  /** `local` while this process decides alone although a shared store is configured. */
  scope(): 'local' | 'shared'
  /** Resolves when the store answers or is known to be out of reach. */
  warm?(): Promise<void>
  close(): Promise<void>
}

/** The decision for demands that no store could decide on. */
export function unavailable(demands: readonly Demand[], refused: number, cause: string): Decision {
  const standings = demands.map(() => ({ left: 0, resetUs: 0, waitUs: 0, period: 0 }))
  return { refused, isUnavailable: true, cause, standings }
}

/** The name of the policy that a key belongs to. */
export function policyOfKey(key: string): string {
  return key.slice(0, key.indexOf(' '))
}

/** Why a gateway is less than ready while its store is out of reach. */
export const LIMITS_ALONE =
  'shared limits: the store is out of reach, this gateway keeps its rate limits for itself'
