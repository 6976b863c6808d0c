import type { GatewaySection } from '../../config/config-schema.ts'
import type { Exchange } from '../../exchange.ts'
import type { Decision, Demand, LimitStore, Settlement } from '../../limits/policies/limit-store.ts'
import type { Policy } from '../../limits/policies/policies.ts'
import type { AskedTokens } from '../../limits/usage/asked-tokens.ts'
import type { UsageLedger } from '../../limits/usage/usage-ledger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { Costs } from './costs.ts'
import { chargeOf } from './settlement.ts'

/** The parts of a configuration that limits need. */
export type LimitSettings = Pick<GatewaySection, 'rate_limits' | 'prices' | 'limits'>

/** A reservation in a budget. */
interface Reservation extends Omit<Settlement, 'used'> {
  readonly unit: 'tokens' | 'cost'
}

interface Kept {
  readonly asked: AskedTokens
  readonly reservations: readonly Reservation[]
}

interface UsageWorld {
  readonly costs: Costs
  readonly metrics: Pick<Metrics, 'usageCounted'>
  readonly ledger: UsageLedger
}

/** Keeps the reservations of requests until they end, and settles them then. */
export class Reservations {
  readonly #store: LimitStore
  readonly #world: UsageWorld
  readonly #kept = new WeakMap<Exchange, Kept>()

  constructor(store: LimitStore, world: UsageWorld) {
    this.#store = store
    this.#world = world
  }

  /** Keeps the reservations of a request. If it has ended meanwhile, nothing was used. */
  keep(exchange: Exchange, asked: AskedTokens, reservations: readonly Reservation[]): void {
    if (exchange.result === undefined) this.#kept.set(exchange, { asked, reservations })
    else this.#store.settle(reservations.map((reservation) => ({ ...reservation, used: 0 })))
  }

  /** Settles the reservations of a finished request and counts its use. */
  end(exchange: Exchange): void {
    const { costs, metrics, ledger } = this.#world
    const { tenantId, usage, limit } = exchange
    if (tenantId === undefined) return
    const kept = this.#kept.get(exchange)
    const used = { inputTokens: usage?.input ?? 0, outputTokens: usage?.output ?? 0 }
    let costMicro = 0
    if (kept !== undefined) {
      const charge = chargeOf(exchange, kept.asked, costs)
      const amountOf = ({ unit, reserved }: Reservation) => (charge === 'reserved' ? reserved : charge[unit])
      this.#store.settle(kept.reservations.map((each) => ({ ...each, used: amountOf(each) })))
      costMicro = charge === 'reserved' ? largest(kept, 'cost') : charge.cost
      if (usage !== undefined) exchange.costMicro = costMicro
      const unreported = charge === 'reserved' ? largest(kept, 'tokens') : charge.tokens
      const reservedTokens = usage === undefined ? unreported : 0
      metrics.usageCounted(exchange, { ...used, reservedTokens, costMicro })
    }
    ledger.add(tenantId, { ...used, costMicro, isRefused: limit !== undefined })
  }
}

/** The largest reservation of a unit: several policies reserve the same tokens. */
function largest({ reservations }: Kept, wanted: Reservation['unit']): number {
  return Math.max(0, ...reservations.map(({ unit, reserved }) => (unit === wanted ? reserved : 0)))
}

/** The reservations among the charged demands of a request. */
export function reservationsOf(
  policies: readonly Policy[],
  demands: readonly Demand[],
  { standings }: Decision,
): Reservation[] {
  return demands.flatMap((demand, index) => {
    const { unit = 'requests' } = policies[index] ?? {}
    if (demand.type === 'rate' || unit === 'requests') return []
    const { key, per, amount: reserved } = demand
    return [{ key, per, reserved, unit, period: standings[index]?.period ?? 0 }]
  })
}
