import type { RateLimitOptions } from '../../config/config-schema.ts'
import { MICRO } from '../../config/schema/limit-sections.ts'
import { rateOf } from './gcra.ts'
import type { Demand } from './limit-store.ts'
import type { PeriodName } from './period.ts'

/** The facts of a request that policies count by. */
export interface KeyFacts {
  readonly tenantId: string | undefined
  readonly identity: { readonly issuer: string; readonly subject: string } | undefined
  readonly route: { readonly id: string } | undefined
}

/** One policy of the configuration, ready to be applied. */
export interface Policy {
  readonly name: string
  readonly unit: 'requests' | 'tokens' | 'cost'
  /** The limit in its unit: requests, tokens or millionths of money. */
  readonly limit: number
  /** The seconds of a rate, or the calendar period of a budget. */
  readonly per: number | PeriodName
  /** Tokens to reserve for a request that names no number. */
  readonly estimate: number
  /** Whether each tenant has exactly one count. */
  readonly isPerTenant: boolean
  appliesTo(routeId: string): boolean
  keyOf(facts: KeyFacts): string
  /** The demand of a request; `amount` is the reservation of a budget. */
  demand(key: string, amount: number): Demand
}

/** The tokens of a request without a number, where the policy names none. */
const DEFAULT_ESTIMATE = 1000

/** Prepares the policies of a configuration. */
export function compilePolicies(options: readonly RateLimitOptions[]): readonly Policy[] {
  return options.map((option) => ({
    ...common(option),
    ...(option.requests === undefined ? budget(option) : rate(option, option.requests)),
  }))
}

function common(option: RateLimitOptions) {
  const { name, key, routes, tokens = 2 * DEFAULT_ESTIMATE } = option
  // Half of a small budget is left for the input: else every request that names no number would be refused.
  const { estimate = Math.min(DEFAULT_ESTIMATE, Math.ceil(tokens / 2)) } = option
  const kind = kindOf(option)
  const ids = routes && new Set(routes)
  return {
    name,
    estimate,
    isPerTenant: key.length === 1 && key[0] === 'tenant',
    appliesTo: (routeId: string) => ids?.has(routeId) ?? true,
    keyOf: keyReader(kind === '' ? name : `${name} ${kind}`, key),
  }
}

/**
 * The part of a key that keeps the counts of a changed policy apart: tokens are no money, a day is no month, and a count
 * of requests has another type in Redis. A tenant has no slash. Requests, the first kind, have none.
 */
function kindOf({ requests, tokens, per = 'day' }: RateLimitOptions): string {
  if (requests !== undefined) return ''
  return `${tokens === undefined ? 'cost' : 'tokens'}/${per}`
}

function rate(
  { per_seconds: perSeconds = 1, burst, on_store_failure }: RateLimitOptions,
  requests: number,
): Pick<Policy, 'unit' | 'limit' | 'per' | 'demand'> {
  const { intervalUs, burst: atOnce } = rateOf(requests, perSeconds, burst)
  const needsStore = on_store_failure === 'refuse'
  const demand = (key: string): Demand => ({ type: 'rate', key, needsStore, intervalUs, burst: atOnce })
  return { unit: 'requests', limit: requests, per: perSeconds, demand }
}

function budget({
  tokens,
  cost = 0,
  per = 'day',
  on_store_failure,
}: RateLimitOptions): Pick<Policy, 'unit' | 'limit' | 'per' | 'demand'> {
  const limit = tokens ?? Math.round(cost * MICRO)
  const needsStore = on_store_failure === 'refuse'
  return {
    unit: tokens === undefined ? 'cost' : 'tokens',
    limit,
    per,
    demand: (key, amount) => ({ type: 'budget', key, per, limit, amount, needsStore }),
  }
}

/**
 * Reads the key of a request. Two different callers never have the same one: a name and a tenant have no blanks, texts
 * that may contain anything have their length in front, and the subject is last.
 */
function keyReader(name: string, parts: RateLimitOptions['key']): Policy['keyOf'] {
  const [byTenant, byRoute, bySubject] = (['tenant', 'route', 'subject'] as const).map((part) =>
    parts.includes(part),
  )
  return ({ tenantId = '', identity, route }) => {
    let key = byTenant ? `${name} ${tenantId}` : `${name} `
    if (byRoute) key += ` ${sized(route?.id ?? '')}`
    if (bySubject) key += ` ${sized(identity?.issuer ?? '')}${identity?.subject ?? ''}`
    return key
  }
}

function sized(text: string): string {
  return `${text.length}:${text}`
}
