import type { AdminBody } from '@agentic-rest/profile/admin'
import type { GatewayConfig, RateLimitOptions } from '../config/config-schema.ts'
import { TENANT_ID } from '../config/schema/formats.ts'
import type { Exchange } from '../exchange.ts'
import { seconds } from '../limits/policies/limit-headers.ts'
import type { Demand, LimitStore, Standing } from '../limits/policies/limit-store.ts'
import { compilePolicies, type Policy } from '../limits/policies/policies.ts'
import { mergeUsage, type TenantUsage, type UsageLedger } from '../limits/usage/usage-ledger.ts'
import { type AdminAnswer, faultAnswer, jsonAnswer } from './answer.ts'

/** What the usage endpoint reads. */
export interface UsageParts {
  readonly limits: { readonly store: LimitStore; readonly ledger: UsageLedger }
  readonly current: () => { readonly config: GatewayConfig }
  /** The other workers of this gateway, if it has several. */
  readonly otherWorkers?: { usage(tenant: string): Promise<readonly TenantUsage[]> } | undefined
}

/** Tenants of one answer, those with the most requests first. */
const MOST_TENANTS = 100

/** The usage of one tenant, or of the most active ones for an empty name. */
export function usageIn(ledger: UsageLedger, tenant: string): readonly TenantUsage[] {
  return tenant === '' ? ledger.most(MOST_TENANTS) : [ledger.of(tenant)]
}

/** Answers with the usage of tenants against their limits. */
export async function answerUsage(exchange: Exchange, parts: UsageParts): Promise<AdminAnswer> {
  const tenant = new URLSearchParams(exchange.query).get('tenant') ?? ''
  if (tenant !== '' && !TENANT_ID.test(tenant)) return faultAnswer('INVALID', 'tenant is not a tenant id.')
  const { limits, current, otherWorkers } = parts
  const { rate_limits, prices } = current().config.gateway
  const rows = [...usageIn(limits.ledger, tenant), ...((await otherWorkers?.usage(tenant)) ?? [])]
  const busiest = mergeUsage(rows)
    .toSorted((first, second) => second.month.requests - first.month.requests)
    .slice(0, MOST_TENANTS)
  const standings = await standingsOf(busiest, rate_limits, limits.store)
  return jsonAnswer<AdminBody<'Usage'>>({
    at: new Date().toISOString(),
    currency: prices.currency ?? null,
    policies: rate_limits.map(describePolicy),
    tenants: busiest.map((usage, index) => ({ ...usage, limits: standings[index] ?? [] })),
  })
}

function describePolicy(options: RateLimitOptions): AdminBody<'UsagePolicy'> {
  const { name, key, requests, per_seconds, burst, tokens, cost, per, routes } = options
  const [policy] = compilePolicies([options])
  return {
    name,
    key,
    unit: policy?.unit ?? 'requests',
    limit: policy?.limit ?? requests ?? tokens ?? cost ?? 0,
    perSeconds: per_seconds ?? null,
    burst: burst ?? null,
    per: per ?? null,
    routes: routes ?? null,
  }
}

/** The state of each tenant's limits. A policy that counts callers or routes apart has no single state. */
async function standingsOf(
  tenants: readonly TenantUsage[],
  options: readonly RateLimitOptions[],
  store: LimitStore,
) {
  const policies = compilePolicies(options).filter(({ isPerTenant }) => isPerTenant)
  const demands = tenants.map(({ tenant: tenantId }) =>
    policies.map((policy) =>
      policy.demand(policy.keyOf({ tenantId, identity: undefined, route: undefined }), 0),
    ),
  )
  const standings = policies.length === 0 ? [] : await store.peek(demands.flat())
  return demands.map((own, tenant) =>
    own.map((demand, index) => stateOf(policies[index], demand, standings[tenant * policies.length + index])),
  )
}

function stateOf(policy: Policy | undefined, demand: Demand, standing: Standing | undefined) {
  return {
    policy: policy?.name ?? '',
    left: standing?.left ?? 0,
    most: demand.type === 'rate' ? demand.burst : demand.limit,
    resetSeconds: seconds(standing?.resetUs ?? 0),
  }
}
