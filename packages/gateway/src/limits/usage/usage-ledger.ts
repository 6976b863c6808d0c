import { type PeriodName, periodStart } from '../policies/period.ts'

/** What the requests of a tenant used in one period. */
export interface UsageCounts {
  requests: number
  /** Requests that a limit refused. */
  refused: number
  inputTokens: number
  outputTokens: number
  /** In millionths. */
  costMicro: number
}

/** The use of one tenant, today and this month in UTC. */
export interface TenantUsage {
  readonly tenant: string
  readonly today: Readonly<UsageCounts>
  readonly month: Readonly<UsageCounts>
}

/** The use of one request. */
export type RequestUsage = Omit<UsageCounts, 'requests' | 'refused'> & { readonly isRefused: boolean }

/** Tenants beyond this number count together. */
const MOST_TENANTS = 10_000
/** The name under which tenants beyond the bound count. */
export const OTHER_TENANTS = 'other'

interface Row {
  readonly tenant: string
  readonly today: PeriodCounts
  readonly month: PeriodCounts
}

interface PeriodCounts extends UsageCounts {
  period: number
}

/** Counts the use of each tenant in this process. Bounded, and forgotten when the process ends. */
export class UsageLedger {
  readonly #rows = new Map<string, Row>()
  readonly #now: () => number
  readonly #mostTenants: number
  /** The month of a day is found once a day. */
  #day = 0
  #month = 0

  constructor(now: () => number = Date.now, mostTenants = MOST_TENANTS) {
    this.#now = now
    this.#mostTenants = mostTenants
  }

  /** Adds a finished request. */
  add(tenant: string, usage: RequestUsage): void {
    const day = periodStart('day', Math.floor(this.#now() / 1000))
    if (day !== this.#day) this.#startDay(day)
    const row = this.#rowOf(tenant)
    addTo(row.today, usage, day)
    addTo(row.month, usage, this.#month)
  }

  /** The use of one tenant. */
  of(tenant: string): TenantUsage {
    return this.#read(this.#rows.get(tenant) ?? newRow(tenant))
  }

  /** The tenants with the most requests of this month, those first. */
  most(count: number): readonly TenantUsage[] {
    return [...this.#rows.values()]
      .map((row) => this.#read(row))
      .filter(({ month }) => month.requests > 0)
      .toSorted((first, second) => second.month.requests - first.month.requests)
      .slice(0, count)
  }

  /** Forgets tenants without a request this month: in a long life they would take the places of new ones. */
  #startDay(day: number): void {
    this.#day = day
    this.#month = periodStart('month', day)
    for (const [tenant, { month }] of this.#rows) if (month.period !== this.#month) this.#rows.delete(tenant)
  }

  #rowOf(tenant: string): Row {
    const known = this.#rows.get(tenant)
    if (known !== undefined) return known
    if (this.#rows.size >= this.#mostTenants && tenant !== OTHER_TENANTS) return this.#rowOf(OTHER_TENANTS)
    const row = newRow(tenant)
    this.#rows.set(tenant, row)
    return row
  }

  #read({ tenant, today, month }: Row): TenantUsage {
    const seconds = Math.floor(this.#now() / 1000)
    return { tenant, today: current(today, 'day', seconds), month: current(month, 'month', seconds) }
  }
}

/** Adds the counts of several processes, tenant by tenant. */
export function mergeUsage(all: readonly TenantUsage[]): readonly TenantUsage[] {
  const byTenant = Map.groupBy(all, ({ tenant }) => tenant)
  return [...byTenant].map(([tenant, rows]) => ({
    tenant,
    today: sum(rows.map(({ today }) => today)),
    month: sum(rows.map(({ month }) => month)),
  }))
}

const NOTHING: UsageCounts = { requests: 0, refused: 0, inputTokens: 0, outputTokens: 0, costMicro: 0 }

function newRow(tenant: string): Row {
  return { tenant, today: { period: 0, ...NOTHING }, month: { period: 0, ...NOTHING } }
}

function addTo(counts: PeriodCounts, usage: RequestUsage, period: number): void {
  if (counts.period !== period) Object.assign(counts, NOTHING, { period })
  counts.requests += 1
  counts.refused += usage.isRefused ? 1 : 0
  counts.inputTokens += usage.inputTokens
  counts.outputTokens += usage.outputTokens
  counts.costMicro += usage.costMicro
}

function current({ period, ...counts }: PeriodCounts, per: PeriodName, seconds: number): UsageCounts {
  return period === periodStart(per, seconds) ? counts : { ...NOTHING }
}

function sum(all: readonly UsageCounts[]): UsageCounts {
  const total = { ...NOTHING }
  for (const counts of all)
    for (const name of Object.keys(total) as (keyof UsageCounts)[]) total[name] += counts[name]
  return total
}
