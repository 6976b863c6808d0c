import { listOf, membersOf, numberOf, textOf } from '../json-members.ts'

/** What the requests of a tenant used in a period. Cost is in millionths. */
export interface UsageCounts {
  readonly requests: number
  readonly refused: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly costMicro: number
}

/** The state of one limit of a tenant. */
export interface LimitState {
  readonly policy: string
  readonly left: number
  readonly most: number
  readonly resetSeconds: number
}

/** The usage of a tenant, today and this month in UTC, and the state of its limits. */
export interface TenantUsage {
  readonly tenant: string
  readonly today: UsageCounts
  readonly month: UsageCounts
  readonly limits: readonly LimitState[]
}

/** One limit of the configuration. Its unit decides what `limit` counts: requests, tokens, or millionths of money. */
export interface UsagePolicy {
  readonly name: string
  readonly key: readonly string[]
  readonly unit: string
  readonly limit: number
  readonly perSeconds: number | undefined
  readonly burst: number | undefined
  readonly per: string | undefined
}

/** The answer of `/api/usage`. */
export interface Usage {
  readonly policies: readonly UsagePolicy[]
  readonly tenants: readonly TenantUsage[]
}

/** Reads the answer of `/api/usage`; nothing if it has another form. */
export function readUsage(body: unknown): Usage | undefined {
  const { policies, tenants } = membersOf(body)
  if (!Array.isArray(policies) || !Array.isArray(tenants)) return undefined
  return { policies: policies.map(readPolicy), tenants: tenants.map(readTenant) }
}

function readPolicy(value: unknown): UsagePolicy {
  const { name, key, unit, limit, perSeconds, burst, per } = membersOf(value)
  return {
    name: textOf(name),
    key: listOf(key).map(textOf),
    unit: textOf(unit),
    limit: numberOf(limit),
    perSeconds: typeof perSeconds === 'number' ? perSeconds : undefined,
    burst: typeof burst === 'number' ? burst : undefined,
    per: typeof per === 'string' ? per : undefined,
  }
}

function readTenant(value: unknown): TenantUsage {
  const { tenant, today, month, limits } = membersOf(value)
  return {
    tenant: textOf(tenant),
    today: readCounts(today),
    month: readCounts(month),
    limits: listOf(limits).map(readLimit),
  }
}

function readCounts(value: unknown): UsageCounts {
  const { requests, refused, inputTokens, outputTokens, costMicro } = membersOf(value)
  return {
    requests: numberOf(requests),
    refused: numberOf(refused),
    inputTokens: numberOf(inputTokens),
    outputTokens: numberOf(outputTokens),
    costMicro: numberOf(costMicro),
  }
}

function readLimit(value: unknown): LimitState {
  const { policy, left, most, resetSeconds } = membersOf(value)
  return {
    policy: textOf(policy),
    left: numberOf(left),
    most: numberOf(most),
    resetSeconds: numberOf(resetSeconds),
  }
}
