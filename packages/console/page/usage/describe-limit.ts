import type { TenantUsage, UsagePolicy } from '../api/bodies.ts'
import { formatMs } from '../shell/format.ts'

/** The part of a limit from which on the page marks it. */
const NEARLY_FULL = 0.8

/** A whole number with separators. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-GB', { maximumFractionDigits: 0 })
}

/** An amount of money in millionths, with two to six decimals. */
export function formatMoney(micro: number): string {
  return (micro / 1_000_000).toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
}

/** An amount in the unit of a limit. */
export function formatAmount(value: number, unit: string): string {
  return unit === 'cost' ? formatMoney(value) : `${formatCount(value)} ${unit}`
}

/** What a limit allows, for example `600 requests per 60 s, 60 at once`. */
export function describePolicy({ unit, limit, perSeconds, burst, per }: UsagePolicy): string {
  const rate = `${formatAmount(limit, unit)} per ${per ?? `${formatCount(perSeconds ?? 0)} s`}`
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
export function viewLimit(state: TenantUsage['limits'][number], policies: readonly UsagePolicy[]): LimitView {
  const unit = policies.find(({ name }) => name === state.policy)?.unit ?? ''
  const { left, most, resetSeconds } = state
  const used = Math.min(Math.max(most - left, 0), most)
  const amount = unit === 'cost' ? formatMoney : formatCount
  const whole = formatAmount(most, unit).trim()
  return {
    name: state.policy,
    used,
    most,
    nearly: most * NEARLY_FULL,
    text: `${amount(used)} of ${whole} used`,
    reset: used === 0 ? '' : `all free again in ${formatMs(resetSeconds * 1000)}`,
    level: levelOf(used, most),
  }
}

function levelOf(used: number, most: number): LimitView['level'] {
  if (used >= most) return 'full'
  return used >= most * NEARLY_FULL ? 'nearly' : 'free'
}
