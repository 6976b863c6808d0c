import { backlogOf, leftOf, nextTat, type Rate, waitOf } from './gcra.ts'
import {
  type BudgetDemand,
  type BudgetUse,
  type Decision,
  type Demand,
  policyOfKey,
  type RateDemand,
  type Settlement,
  type Standing,
} from './limit-store.ts'
import { type PeriodName, periodEnd, periodStart } from './period.ts'

/** The clocks of counts. */
export interface LimitClock {
  /** Whole microseconds of a clock that never jumps. */
  readonly monotonicUs: () => number
  /** Whole microseconds since 1970, for the calendar. */
  readonly calendarUs: () => number
}

/** The clocks of this process. */
export const processClock: LimitClock = {
  monotonicUs: () => Math.floor(performance.now() * 1000),
  calendarUs: () => Date.now() * 1000,
}

/** The count of one key of a rate. */
interface RateCount {
  rate: Rate
  tat: number
}

/** The count of one key of a budget. */
export interface BudgetCount {
  readonly per: PeriodName
  /** The first second of the period that is counted. */
  period: number
  /** Reserved and used by all gateways, as far as this process knows. */
  total: number
  /** The part of this process. */
  own: number
  limit: number
}

const MICROSECONDS = 1_000_000
/** Two policies for 100,000 tenants. */
const MOST_KEYS = 200_000
/** The part of the keys that is forgotten when there are too many. */
const FORGOTTEN_SHARE = 0.1
/** A key that has used this part of its limit is never forgotten. */
const HOT_RATIO = 0.5
const RATIO_STEPS = 64
/** The pause after a search for keys to forget that found few: it reads all keys, 20 ms long. */
const SEARCH_PAUSE_US = 1_000_000

/**
 * The counts of all limits in one process. Keys whose counts are as good as new are forgotten; beyond `mostKeys` those
 * that have used the least of their limit are, and new keys of a policy share one count when all others are busy.
 */
export class LimitCounts {
  readonly #clock: LimitClock
  readonly #mostKeys: number
  readonly #rates = new Map<string, RateCount>()
  readonly #budgets = new Map<string, BudgetCount>()
  /** No search for keys to forget before this time. */
  #searchAtUs = 0

  constructor(clock: LimitClock = processClock, mostKeys = MOST_KEYS) {
    this.#clock = clock
    this.#mostKeys = mostKeys
  }

  /** The number of keys. */
  get size(): number {
    return this.#rates.size + this.#budgets.size
  }

  /** Decides on all demands of a request; charges all of them or none. */
  decide(demands: readonly Demand[], charge = true): Decision {
    const nowUs = this.#clock.monotonicUs()
    const calendarUs = this.#calendarUs(demands)
    // Before any key is read: keys without room share a count only while no other key can be forgotten.
    if (charge && this.size >= this.#mostKeys && demands.some(({ key }) => !this.#has(key))) this.#makeRoom()
    let refused = -1
    for (let index = 0; index < demands.length && refused === -1; index += 1) {
      const demand = demands[index] as Demand
      if (!this.#fits(demand, nowUs, calendarUs)) refused = index
    }
    const charged = charge && refused === -1
    const standings: Standing[] = []
    for (const demand of demands)
      standings.push(
        demand.type === 'rate'
          ? this.#chargeRate(demand, nowUs, charged)
          : this.#chargeBudget(demand, calendarUs, charged),
      )
    return { refused, isUnavailable: false, standings }
  }

  /** Adds the difference between use and reservation, in the period of the reservation only. */
  settle({ key, period, reserved, used }: Settlement): void {
    const count = this.#budgets.get(this.#known(key))
    if (count === undefined || count.period !== period) return
    count.total = Math.max(0, count.total + used - reserved)
    count.own = Math.max(0, count.own + used - reserved)
  }

  /** The part of this process in a budget, and its period. */
  ownOf(key: string): Pick<BudgetCount, 'own' | 'period'> | undefined {
    return this.#budgets.get(key)
  }

  /** Takes over the backlog that a shared store reports. */
  noteRate(demand: RateDemand, backlogUs: number): void {
    const tat = this.#clock.monotonicUs() + backlogUs
    const count = this.#rates.get(this.#known(demand.key))
    if (count === undefined) this.#addRate(demand, tat)
    else count.tat = tat
  }

  /** Takes over the count that a shared store reports. */
  noteBudget(key: string, count: BudgetCount): void {
    if (!this.#budgets.has(key)) this.#makeRoom()
    this.#budgets.set(this.#known(key), count)
  }

  /** Takes over the count of a settled budget that a shared store reports. */
  noteSettled(key: string, state: { count: number; own: number; period: number } | undefined): void {
    const count = this.#budgets.get(this.#known(key))
    if (count === undefined || count.period !== state?.period) return
    count.total = state.count
    count.own = state.own
  }

  /** The rates that are ahead of their time. */
  *backlogs(): Generator<readonly [key: string, backlogUs: number]> {
    const nowUs = this.#clock.monotonicUs()
    for (const [key, { tat }] of this.#rates) if (tat > nowUs) yield [key, tat - nowUs]
  }

  /** The budgets of the current periods. */
  *budgets(): Generator<readonly [key: string, count: BudgetCount]> {
    const seconds = Math.floor(this.#clock.calendarUs() / MICROSECONDS)
    for (const [key, count] of this.#budgets)
      if (count.period === periodStart(count.per, seconds)) yield [key, count]
  }

  /** The highest use of each budget. */
  budgetUse(): readonly BudgetUse[] {
    const highest = new Map<string, number>()
    for (const [key, { total, limit }] of this.budgets()) {
      const policy = policyOfKey(key)
      highest.set(policy, Math.max(highest.get(policy) ?? 0, total / limit))
    }
    return [...highest].map(([policy, ratio]) => ({ policy, ratio }))
  }

  /** The calendar is read for budgets only. */
  #calendarUs(demands: readonly Demand[]): number {
    for (const { type } of demands) if (type === 'budget') return this.#clock.calendarUs()
    return 0
  }

  #fits(demand: Demand, nowUs: number, calendarUs: number): boolean {
    if (demand.type === 'rate')
      return waitOf(demand, backlogOf(demand, this.#rates.get(this.#known(demand.key))?.tat, nowUs)) === 0
    const { total } = this.#budgetOf(demand, calendarUs)
    return demand.amount === 0 || total + demand.amount <= demand.limit
  }

  #chargeRate(demand: RateDemand, nowUs: number, charged: boolean): Standing {
    const count = this.#rates.get(this.#known(demand.key))
    const backlog = backlogOf(demand, count?.tat, nowUs)
    const tat = charged ? nextTat(demand, backlog, nowUs) : nowUs + backlog
    if (count === undefined) {
      if (charged) this.#addRate(demand, tat)
    } else {
      count.tat = tat
      count.rate = demand
    }
    return rateStanding(demand, tat - nowUs, charged)
  }

  #chargeBudget(demand: BudgetDemand, calendarUs: number, charged: boolean): Standing {
    const count = this.#budgetOf(demand, calendarUs)
    const waits = !charged && demand.amount > 0 && count.total + demand.amount > demand.limit
    if (charged) {
      if (!this.#budgets.has(this.#known(demand.key))) this.noteBudget(demand.key, count)
      count.total += demand.amount
      count.own += demand.amount
    }
    return budgetStanding(demand, count, { calendarUs, waits })
  }

  /** The count of the current period. A count of any other period is over, also after a clock was set back. */
  #budgetOf({ key, per, limit }: BudgetDemand, calendarUs: number): BudgetCount {
    const period = periodStart(per, Math.floor(calendarUs / MICROSECONDS))
    const count = this.#budgets.get(this.#known(key))
    if (count === undefined) return { per, period, total: 0, own: 0, limit }
    if (count.period !== period) Object.assign(count, { period, total: 0, own: 0 })
    count.limit = limit
    return count
  }

  #addRate(rate: RateDemand, tat: number): void {
    this.#makeRoom()
    this.#rates.set(this.#known(rate.key), { rate, tat })
  }

  /** A key without room counts with all others of its policy that have none. */
  #known(key: string): string {
    return this.size < this.#mostKeys || this.#has(key) ? key : `${policyOfKey(key)} `
  }

  #has(key: string): boolean {
    return this.#rates.has(key) || this.#budgets.has(key)
  }

  /** Called before a key is added. */
  #makeRoom(): void {
    const nowUs = this.#clock.monotonicUs()
    if (this.size < this.#mostKeys || nowUs < this.#searchAtUs) return
    const wanted = this.#mostKeys * (1 - FORGOTTEN_SHARE)
    this.#forgetIdle()
    if (this.size > wanted) this.#forgetLeastUsed()
    // Otherwise each new key would search all keys for the one that can be forgotten.
    if (this.size > wanted) this.#searchAtUs = nowUs + SEARCH_PAUSE_US
  }

  #forgetIdle(): void {
    const nowUs = this.#clock.monotonicUs()
    for (const [key, { tat }] of this.#rates) if (tat <= nowUs) this.#rates.delete(key)
    const seconds = Math.floor(this.#clock.calendarUs() / MICROSECONDS)
    for (const [key, { per, period }] of this.#budgets)
      if (period !== periodStart(per, seconds)) this.#budgets.delete(key)
  }

  /** Forgets a tenth of the keys in linear time: they are sorted into steps of use. */
  #forgetLeastUsed(): void {
    const steps: string[][] = Array.from({ length: RATIO_STEPS }, () => [])
    const put = (key: string, ratio: number) =>
      ratio < HOT_RATIO ? steps[Math.floor(ratio * RATIO_STEPS)]?.push(key) : undefined
    const nowUs = this.#clock.monotonicUs()
    for (const [key, { tat, rate }] of this.#rates) put(key, (tat - nowUs) / (rate.intervalUs * rate.burst))
    for (const [key, { total, limit }] of this.#budgets) put(key, total / limit)
    for (const key of steps.flat().slice(0, Math.ceil(this.#mostKeys * FORGOTTEN_SHARE))) {
      this.#rates.delete(key)
      this.#budgets.delete(key)
    }
  }
}

/** The state of a rate with a backlog. */
export function rateStanding(rate: Rate, backlogUs: number, passed: boolean): Standing {
  const waitUs = passed ? 0 : waitOf(rate, backlogUs)
  return { left: leftOf(rate, backlogUs), resetUs: backlogUs, waitUs, period: 0 }
}

/** The state of a budget with a count. */
export function budgetStanding(
  { per, limit }: BudgetDemand,
  { total, period }: Pick<BudgetCount, 'total' | 'period'>,
  { calendarUs, waits }: { readonly calendarUs: number; readonly waits: boolean },
): Standing {
  const resetUs = Math.max(0, periodEnd(per, period) * MICROSECONDS - calendarUs)
  return { left: Math.max(0, limit - total), resetUs, waitUs: waits ? resetUs : 0, period }
}
