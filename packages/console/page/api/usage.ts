import { fieldsOf, listOf, numberOf, numberOrNull, textOf, textOrNull, textsOf } from './read-json.ts'

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

/** A limit of the configuration. */
export interface UsagePolicy {
  readonly name: string
  readonly key: readonly string[]
  /** `requests`, `tokens`, or `cost` in millionths. */
  readonly unit: string
  readonly limit: number
  readonly perSeconds: number | null
  readonly burst: number | null
  readonly per: string | null
  /** Null for all routes. */
  readonly routes: readonly string[] | null
}

/** The limits of the gateway and the usage of tenants. */
export interface Usage {
  readonly policies: readonly UsagePolicy[]
  readonly tenants: readonly TenantUsage[]
}

/** Reads the answer of `/api/usage`. */
export function readUsage(value: unknown): Usage {
  const fields = fieldsOf(value)
  return { policies: listOf(fields, 'policies', readPolicy), tenants: listOf(fields, 'tenants', readTenant) }
}

function readPolicy(value: unknown): UsagePolicy {
  const fields = fieldsOf(value)
  return {
    name: textOf(fields, 'name'),
    key: textsOf(fields, 'key'),
    unit: textOf(fields, 'unit', 'requests'),
    limit: numberOf(fields, 'limit'),
    perSeconds: numberOrNull(fields, 'perSeconds'),
    burst: numberOrNull(fields, 'burst'),
    per: textOrNull(fields, 'per'),
    routes: Array.isArray(fields.get('routes')) ? textsOf(fields, 'routes') : null,
  }
}

function readTenant(value: unknown): TenantUsage {
  const fields = fieldsOf(value)
  return {
    tenant: textOf(fields, 'tenant'),
    today: readCounts(fields.get('today')),
    month: readCounts(fields.get('month')),
    limits: listOf(fields, 'limits', readLimit),
  }
}

function readCounts(value: unknown): UsageCounts {
  const fields = fieldsOf(value)
  return {
    requests: numberOf(fields, 'requests'),
    refused: numberOf(fields, 'refused'),
    inputTokens: numberOf(fields, 'inputTokens'),
    outputTokens: numberOf(fields, 'outputTokens'),
    costMicro: numberOf(fields, 'costMicro'),
  }
}

function readLimit(value: unknown): LimitState {
  const fields = fieldsOf(value)
  return {
    policy: textOf(fields, 'policy'),
    left: numberOf(fields, 'left'),
    most: numberOf(fields, 'most'),
    resetSeconds: numberOf(fields, 'resetSeconds'),
  }
}
