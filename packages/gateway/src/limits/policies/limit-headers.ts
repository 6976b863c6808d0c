import type { Standing } from './limit-store.ts'
import { periodEnd, periodStart } from './period.ts'
import type { Policy } from './policies.ts'

const RATE_LIMIT = 'RateLimit'
const RATE_LIMIT_POLICY = 'RateLimit-Policy'

const MICROSECONDS = 1_000_000

/** Writes the headers of a request's policies, names and values in turn. Without standings the state is unknown. */
export type LimitHeaders = (standings: readonly Standing[] | undefined) => readonly string[]

/** Prepares the headers of policies (draft-ietf-httpapi-ratelimit-headers): the limits first, then their state. */
export function createLimitHeaders(policies: readonly Policy[]): LimitHeaders {
  const fixed = policies.some(({ per }) => per === 'month') ? undefined : policyList(policies, undefined)
  return (standings) => {
    const limits = fixed ?? policyList(policies, standings)
    if (standings === undefined) return [RATE_LIMIT_POLICY, limits]
    let states = ''
    for (let index = 0; index < policies.length; index += 1) {
      const { left, resetUs } = standings[index] as Standing
      if (index > 0) states += ', '
      states += `"${(policies[index] as Policy).name}";r=${left};t=${seconds(resetUs)}`
    }
    return [RATE_LIMIT_POLICY, limits, RATE_LIMIT, states]
  }
}

function policyList(policies: readonly Policy[], standings: readonly Standing[] | undefined): string {
  return policies.map((policy, index) => policyItem(policy, standings?.[index])).join(', ')
}

/** The registered quota units have neither tokens nor money: they have a parameter of their own. */
const UNITS = { requests: '', tokens: ';agentic-unit="tokens"', cost: ';agentic-unit="cost-micro"' } as const

function policyItem({ name, limit, per, unit }: Policy, standing: Standing | undefined): string {
  return `"${name}";q=${limit};w=${windowSeconds(per, standing?.period)}${UNITS[unit]}`
}

/** Months have different lengths. */
function windowSeconds(per: Policy['per'], period: number | undefined): number {
  if (typeof per === 'number') return per
  const start = period || periodStart(per, Math.floor(Date.now() / 1000))
  return periodEnd(per, start) - start
}

/** Whole seconds: a client that waits so long does not come too early. */
export function seconds(us: number): number {
  return Math.ceil(us / MICROSECONDS)
}
