import type { TenantUsage, Usage, UsagePolicy } from '../api/bodies.ts'
import { formatMs } from '../shell/format.ts'

/** The part of a limit from which on the page marks it. */
const NEARLY_FULL = 0.8

/** A whole number with separators. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 0 })
}

/** An amount of money in millionths, with two to six decimals and its currency, if that is known. */
export function formatMoney(micro: number, currency: string | null): string {
  const amount = (micro / 1_000_000).toLocaleString('en-GB', {
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  })
  return currency === null ? amount : `${amount} ${currency}`
}

/** An amount in the unit of a limit. */
function formatAmount(value: number, unit: string, currency: string | null): string {
  return unit === 'cost' ? formatMoney(value, currency) : `${formatCount(value)} ${unit}`.trimEnd()
}

/** What a limit allows, for example `600 requests per 60 s, 60 at once`. */
export function describePolicy(policy: UsagePolicy, currency: string | null): string {
  const { unit, limit, perSeconds, burst, per } = policy
  const rate = `${formatAmount(limit, unit, currency)} per ${per ?? `${formatCount(perSeconds ?? 0)} s`}`
  return burst === null ? rate : `${rate}, ${formatCount(burst)} at once`
}

/** What a limit counts apart, for example `each tenant and subject`. */
export function describeKey({ key }: Pick<UsagePolicy, 'key'>): string {
  return key.length === 0 ? 'all together' : `each ${key.join(' and ')}`
}

/** The state of a limit for a meter. */
export interface LimitView {
  readonly name: string
  readonly used: number
  readonly most: number
  /** The amount from which on the limit is nearly used up. */
  readonly nearly: number
  /** For example `188,000 of 1,000,000 tokens used`. */
  readonly text: string
  /** For example `all free again in 6 h 45 min`; empty if nothing is used. */
  readonly reset: string
  readonly level: 'free' | 'nearly' | 'full'
}

/** Describes the state of a limit. Without its policy, after a reload, the unit is not known. */
export function viewLimit(
  state: TenantUsage['limits'][number],
  { policies, currency }: Pick<Usage, 'policies' | 'currency'>,
): LimitView {
  const unit = policies.find(({ name }) => name === state.policy)?.unit ?? ''
  const { left, most, resetSeconds } = state
  const used = Math.min(Math.max(most - left, 0), most)
  // The unit is written once, after the whole.
  const part = unit === 'cost' ? formatMoney(used, null) : formatCount(used)
  return {
    name: state.policy,
    used,
    most,
    nearly: most * NEARLY_FULL,
    text: `${part} of ${formatAmount(most, unit, currency)} used`,
    reset: used === 0 ? '' : `all free again in ${formatMs(resetSeconds * 1000)}`,
    level: levelOf(used, most),
  }
}

function levelOf(used: number, most: number): LimitView['level'] {
  if (used >= most) return 'full'
  return used >= most * NEARLY_FULL ? 'nearly' : 'free'
}
