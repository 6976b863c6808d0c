import { randomBytes } from 'node:crypto'
import type { Metrics } from '../../metrics/metrics.ts'
import { type LinkTimes, linkTimes, RedisLink, type RedisUse } from '../../redis/redis-link.ts'
import { within } from '../../redis/time-limit.ts'
import { budgetStanding, LimitCounts, rateStanding } from './limit-counts.ts'
import {
  type Decision,
  type Demand,
  type LimitStore,
  type Settlement,
  type Standing,
  unavailable,
} from './limit-store.ts'
import {
  createRedisLimits,
  KEYS_PER_CALL,
  type KnownCount,
  type RedisDecision,
  type RedisLimits,
} from './redis-limits.ts'

/** What a shared store is made with. */
export interface SharedStoreOptions extends RedisUse {
  readonly metrics: Pick<Metrics, 'limitStoreKept' | 'limitsDecidedAlone'>
  readonly times?: LinkTimes | undefined
}

/** Limits are exact again within a second after Redis is back: no pause between attempts is longer than a quarter of one. */
export const limitTimes: LinkTimes = { ...linkTimes, retryUpToMs: 250 }

/**
 * Makes a store that all gateways of one Redis share. This gateway remembers the state that Redis told it last. Without
 * Redis it goes on from there alone, with the same limits; it brings its counts along when Redis is back.
 */
export function createSharedStore(options: SharedStoreOptions): LimitStore {
  const { metrics, times = limitTimes } = options
  const counts = new LimitCounts()
  const gatewayId = randomBytes(9).toString('base64url')
  const filling = new Filling(counts, times)
  const link = new RedisLink<RedisLimits>({
    ...options,
    times: { ...times, enterWithinMs: FILL_WITHIN_MS },
    connect: async (open) => createRedisLimits(await open(), gatewayId),
    enter: (store) => filling.fill(store),
    found: 'the rate limits are shared with other gateways',
    missing: 'the rate limits are not shared, this gateway keeps them for itself',
    onChange: (isFound) => metrics.limitStoreKept(isFound),
  })
  const ownOf = (key: string) => counts.ownOf(key)
  const decideAlone = (demands: readonly Demand[]): Decision => {
    metrics.limitsDecidedAlone()
    // A free model is not stopped by money, also without a store.
    const needing = demands.findIndex(
      (each) => each.needsStore && !(each.type === 'budget' && each.amount === 0),
    )
    if (needing !== -1) return unavailable(demands, needing, link.cause)
    filling.note(demands)
    return counts.decide(demands)
  }
  const settleAlone = (settlements: readonly Settlement[]) => {
    filling.note(settlements)
    for (const settlement of settlements) counts.settle(settlement)
  }
  const ask = async (demands: readonly Demand[]): Promise<Decision> => {
    try {
      const answer = await link.ask((store) => store.decide(demands, { charge: true, ownOf }))
      return noted(counts, demands, answer)
    } catch {
      return decideAlone(demands)
    }
  }
  const settleShared = async (settlements: readonly Settlement[]): Promise<void> => {
    try {
      const sent = settlements.map((each) => ({ ...each, own: ownOf(each.key)?.own ?? 0 }))
      const states = await link.ask((store) => store.settle(sent))
      for (const [index, { key }] of settlements.entries()) counts.noteSettled(key, states[index])
    } catch {
      settleAlone(settlements)
    }
  }
  const decide = (demands: readonly Demand[]) =>
    link.store === undefined ? decideAlone(demands) : ask(demands)
  return {
    scope: () => (link.isAlone ? 'local' : 'shared'),
    warm: async () => await link.open(),
    decide: (demands) => (link.isOpened ? decide(demands) : link.open().then(() => decide(demands))),
    settle(settlements) {
      if (link.store === undefined) settleAlone(settlements)
      else void settleShared(settlements)
    },
    async peek(demands) {
      const { store } = link
      // Not with `ask`: a console that looks at many tenants must not lose the store.
      const answer = store && within(times.answerWithinMs, store.decide(demands, { charge: false, ownOf }))
      const states = await answer?.catch(() => undefined)
      return states === undefined ? counts.decide(demands, false).standings : standingsOf(demands, states)
    },
    budgetUse: () => counts.budgetUse(),
    close: () => link.close(),
  }
}

/** The time for all counts. Each call of it has its own, shorter limit: 100,000 tenants take longer than a stuck Redis may. */
const FILL_WITHIN_MS = 60_000

/** Brings the counts of this gateway into a Redis that was found: all of them, then those that changed meanwhile. */
class Filling {
  readonly #counts: LimitCounts
  readonly #times: LinkTimes
  #filled: RedisLimits | undefined
  /** Keys that this gateway decided on alone since the last call; `undefined` while there is nothing to fill. */
  #changed: Set<string> | undefined

  constructor(counts: LimitCounts, times: LinkTimes) {
    this.#counts = counts
    this.#times = times
  }

  /** Remembers keys whose counts change here and not in Redis. */
  note(changed: readonly { readonly key: string }[]): void {
    for (const { key } of changed) this.#changed?.add(key)
  }

  /** The second call for a store is the last: it comes when requests begin to use the store, before the first of them. */
  async fill(store: RedisLimits): Promise<void> {
    const isLast = store === this.#filled
    const known = knownCounts(this.#counts, isLast ? this.#changed : undefined)
    this.#filled = store
    this.#changed = isLast ? undefined : new Set()
    try {
      await this.#bring(store, known)
    } catch (error) {
      // Otherwise the keys of a whole outage would be remembered.
      this.#changed = undefined
      throw error
    }
  }

  async #bring(store: RedisLimits, known: readonly KnownCount[]): Promise<void> {
    const { answerWithinMs, enterWithinMs } = this.#times
    await store.enter(known, enterWithinMs)
    // Only one call precedes all requests: what the last one has to bring must fit into it.
    while (this.#changed !== undefined && this.#changed.size > KEYS_PER_CALL) {
      const changed = knownCounts(this.#counts, this.#changed)
      this.#changed = new Set()
      await store.enter(changed, enterWithinMs)
    }
    // A store that is too slow for requests would be lost with the next one, and each time one of them would wait.
    await store.enter([], answerWithinMs)
  }
}

/** The counts of this gateway that Redis has to know; with keys, only theirs. */
function knownCounts(counts: LimitCounts, keys?: ReadonlySet<string>): KnownCount[] {
  const known: KnownCount[] = []
  for (const [key, backlogUs] of counts.backlogs())
    if (keys?.has(key) ?? true) known.push({ type: 'rate', key, backlogUs })
  for (const [key, { per, period, own }] of counts.budgets())
    if (keys?.has(key) ?? true) known.push({ type: per, key, period, own })
  return known
}

/** Remembers the state that Redis tells, and turns it into a decision. */
function noted(counts: LimitCounts, demands: readonly Demand[], answer: RedisDecision): Decision {
  for (const [index, demand] of demands.entries()) {
    const { count = 0, own = 0, period = 0 } = answer.states[index] ?? {}
    if (demand.type === 'rate') counts.noteRate(demand, count)
    else counts.noteBudget(demand.key, { per: demand.per, limit: demand.limit, period, own, total: count })
  }
  return { refused: answer.refused, isUnavailable: false, standings: standingsOf(demands, answer) }
}

function standingsOf(demands: readonly Demand[], { nowUs, states }: RedisDecision): Standing[] {
  return demands.map((demand, index) => {
    const { fits = true, count = 0, period = 0 } = states[index] ?? {}
    if (demand.type === 'rate') return rateStanding(demand, count, fits)
    return budgetStanding(demand, { total: count, period }, { calendarUs: nowUs, waits: !fits })
  })
}
