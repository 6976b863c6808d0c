import type { Standing } from './limit-store.ts'
import { periodEnd, periodStart } from './period.ts'
import type { Policy } from './policies.ts'

/** The header with the state of each policy (draft-ietf-httpapi-ratelimit-headers). */
export const RATE_LIMIT = 'RateLimit'
/** The header with the limit of each policy. */
export const RATE_LIMIT_POLICY = 'RateLimit-Policy'

const MICROSECONDS = 1_000_000

/** The header values for a request's policies, names and values in turn. Without standings the state is unknown. */
export function limitHeaders(
  policies: readonly Policy[],
  standings: readonly Standing[] | undefined,
): readonly string[] {
  const limits = policies.map((policy, index) => policyItem(policy, standings?.[index])).join(', ')
  if (standings === undefined) return [RATE_LIMIT_POLICY, limits]
  const states = policies.map((policy, index) => stateItem(policy, standings[index])).join(', ')
  return [RATE_LIMIT_POLICY, limits, RATE_LIMIT, states]
}

/** The registered quota units have neither tokens nor money: they have a parameter of their own. */
const UNITS = { requests: '', tokens: ';agentic-unit="tokens"', cost: ';agentic-unit="cost-micro"' } as const

function policyItem({ name, limit, per, unit }: Policy, standing: Standing | undefined): string {
  return `"${name}";q=${limit};w=${windowSeconds(per, standing?.period)}${UNITS[unit]}`
}

function windowSeconds(per: Policy['per'], period: number | undefined): number {
  if (typeof per === 'number') return per
  // Months have different lengths.
  const start = period || periodStart(per, Math.floor(Date.now() / 1000))
  return periodEnd(per, start) - start
}

function stateItem({ name }: Policy, standing: Standing | undefined): string {
  return `"${name}";r=${standing?.left ?? 0};t=${seconds(standing?.resetUs ?? 0)}`
}

/** Whole seconds: a client that waits so long does not come too early. */
export function seconds(us: number): number {
  return Math.ceil(us / MICROSECONDS)
}
