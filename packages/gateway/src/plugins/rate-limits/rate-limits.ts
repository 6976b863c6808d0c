import type { RouteConfig } from '../../config/config-schema.ts'
import { refusal } from '../../errors.ts'
import type { Exchange, StepResult } from '../../exchange.ts'
import { createLimitHeaders, type LimitHeaders, seconds } from '../../limits/policies/limit-headers.ts'
import type { Decision, LimitStore } from '../../limits/policies/limit-store.ts'
import { compilePolicies, type Policy } from '../../limits/policies/policies.ts'
import { refuseBy } from '../../limits/refuse.ts'
import { type AskedTokens, askedTokens } from '../../limits/usage/asked-tokens.ts'
import type { UsageLedger } from '../../limits/usage/usage-ledger.ts'
import type { Metrics } from '../../metrics/metrics.ts'
import type { PipelinePlugin, PluginPlan } from '../../plugin.ts'
import { type Costs, createCosts } from './costs.ts'
import { type LimitSettings, Reservations, reservationsOf } from './reservations.ts'

/** The name of this step. Its settings are keys of the section `gateway`. */
export const RATE_LIMITS = 'rate-limits'

/** The counts that outlive a reload. */
export interface LimitState {
  readonly store: LimitStore
  readonly ledger: UsageLedger
}

interface LimitWorld {
  readonly limits: LimitState
  readonly metrics: Pick<Metrics, 'limitDecided' | 'usageCounted'>
}

/** Applies `gateway.rate_limits` when the tenant is known, before anything is looked up for it. */
export function rateLimits(settings: LimitSettings, { limits, metrics }: LimitWorld): PipelinePlugin {
  const { store, ledger } = limits
  const costs = createCosts(settings.prices.models)
  const policiesOf = createPolicyIndex(compilePolicies(settings.rate_limits))
  const reservations = new Reservations(store, { costs, metrics, ledger })
  const take = (exchange: Exchange, own: RoutePolicies, asked: AskedTokens) => {
    const { policies, hasBudget } = own
    const demands = policies.map((policy) =>
      policy.demand(policy.keyOf(exchange), amountOf(policy, asked, costs)),
    )
    const conclude = (decision: Decision): StepResult => {
      if (hasBudget && decision.refused === -1)
        reservations.keep(exchange, asked, reservationsOf(policies, demands, decision))
      return answerTo(exchange, own, decision)
    }
    const decision = store.decide(demands)
    return decision instanceof Promise ? decision.then(conclude) : conclude(decision)
  }
  const answerTo = (exchange: Exchange, own: RoutePolicies, decision: Decision): StepResult => {
    const { policies, headers } = own
    const { refused, isUnavailable, standings } = decision
    exchange.limitHeaders = headers(isUnavailable ? undefined : standings)
    const policy = policies[refused]
    if (policy !== undefined) {
      metrics.limitDecided(policy.name, isUnavailable ? 'unavailable' : 'refused')
      return refuse(exchange, policy, decision)
    }
    for (const { name } of policies) metrics.limitDecided(name, 'allowed')
    return undefined
  }
  return {
    name: RATE_LIMITS,
    request(exchange) {
      const own = policiesOf(exchange.route?.id ?? '')
      if (own.policies.length === 0) return undefined
      if (!own.hasBudget) return take(exchange, own, NOT_ASKED)
      exchange.countsUsage = true
      return readAsked(exchange, settings.limits.max_body_bytes).then((asked) => take(exchange, own, asked))
    },
    // Before otel-audit completes its record.
    response: (exchange) => reservations.end(exchange),
    plan: (route) => planRateLimits(settings, route),
  }
}

interface RoutePolicies {
  readonly policies: readonly Policy[]
  /** Whether a policy counts tokens or money. */
  readonly hasBudget: boolean
  readonly headers: LimitHeaders
}

/** Finds the policies of a route, once for each route. */
function createPolicyIndex(policies: readonly Policy[]): (routeId: string) => RoutePolicies {
  const byRoute = new Map<string, RoutePolicies>()
  return (routeId) => {
    const known = byRoute.get(routeId)
    if (known !== undefined) return known
    const own = policies.filter((policy) => policy.appliesTo(routeId))
    const hasBudget = own.some(({ unit }) => unit !== 'requests')
    const found = { policies: own, hasBudget, headers: createLimitHeaders(own) }
    byRoute.set(routeId, found)
    return found
  }
}

const NOT_ASKED: AskedTokens = { input: 0, tokens: undefined, model: undefined }

/** A body that is no JSON, or too large to be forwarded, asks for nothing in particular. */
async function readAsked({ body }: Exchange, maxBytes: number): Promise<AskedTokens> {
  const bytes = body.length === 0 ? undefined : await body.read(maxBytes)
  return bytes === undefined ? NOT_ASKED : askedTokens(bytes)
}

/** The reservation of a request: its input, and the most output that it may get. */
function amountOf(
  { unit, estimate }: Policy,
  { input, tokens: output = estimate, model }: AskedTokens,
  costs: Costs,
): number {
  if (unit === 'requests') return 0
  return unit === 'tokens' ? input + output : costs.reserve({ input, output }, model)
}

function refuse(
  exchange: Exchange,
  { name, unit }: Policy,
  { isUnavailable, cause, standings }: Decision,
): StepResult {
  if (isUnavailable) {
    exchange.limit = name
    exchange.cause = cause
    return refusal('STORE_UNAVAILABLE')
  }
  const code = unit === 'requests' ? 'LIMIT_EXCEEDED' : 'BUDGET_EXCEEDED'
  const retryAfter = Math.max(1, ...standings.map(({ waitUs }) => seconds(waitUs)))
  return refuseBy(exchange, name, { code, retryAfter })
}

/** The policies that count the requests of a route. */
export function planRateLimits(
  { rate_limits }: Pick<LimitSettings, 'rate_limits'>,
  { id }: RouteConfig,
): PluginPlan {
  const names = rate_limits.filter(({ routes }) => routes?.includes(id) ?? true).map(({ name }) => name)
  if (names.length === 0) return { runs: false, why: 'no policy of gateway.rate_limits counts the route' }
  return { runs: true, why: `counts for ${names.length === 1 ? 'policy' : 'policies'} ${names.join(', ')}` }
}
