import { styleText } from 'node:util'
import type { AdminReading } from '@agentic-rest/profile/admin'
import { terminalLine, textTable } from '../terminal-text.ts'

type TenantUsage = AdminReading<'TenantUsage'>
type UsagePolicy = AdminReading<'UsagePolicy'>

const COUNT_HEADINGS = ['TENANT', 'PERIOD', 'REQUESTS', 'REFUSED', 'INPUT TOKENS', 'OUTPUT TOKENS', 'COST']
const REFUSED_COLUMN = COUNT_HEADINGS.indexOf('REFUSED')
const LIMIT_HEADINGS = ['TENANT', 'LIMIT', 'LEFT', 'OF', 'FULL AGAIN IN', 'ALLOWS']

/** The usage of tenants as tables: the counts of both periods, then the state of each limit. */
export function showUsage(
  { currency, policies, tenants }: AdminReading<'Usage'>,
  stream: NodeJS.WriteStream,
): string[] {
  const money = moneyIn(currency)
  // Without limits nothing is refused by one. After a reload there may be earlier refusals.
  const hasRefusals = policies.length > 0 || tenants.some(({ month }) => month.refused > 0)
  const kept = (row: readonly string[]) => row.filter((_, index) => hasRefusals || index !== REFUSED_COLUMN)
  const counts = tenants.flatMap((usage) => countRows(usage, money)).map(kept)
  const states = tenants.flatMap((usage) => limitRows(usage, policies, money))
  return [
    ...(counts.length === 0 ? ['No request of this month was counted.'] : []),
    ...table(kept(COUNT_HEADINGS), counts, { stream, numbers: [2, 3, 4, 5, 6] }),
    ...(counts.length === 0 || states.length === 0 ? [] : ['']),
    ...table(LIMIT_HEADINGS, states, { stream, numbers: [2, 3] }),
    ...noteOf(policies),
  ]
}

interface TableOptions {
  readonly stream: NodeJS.WriteStream
  /** The columns that are aligned to the right. */
  readonly numbers: readonly number[]
}

function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  { stream, numbers }: TableOptions,
): string[] {
  if (rows.length === 0) return []
  const all = [headings, ...rows]
  const widths = headings.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  const aligned = all.map((row) =>
    row.map((cell, column) => (numbers.includes(column) ? cell.padStart(widths[column] ?? 0) : cell)),
  )
  const [heading = '', ...lines] = textTable(aligned)
  return [styleText('bold', heading, { stream }), ...lines]
}

/** Writes an amount of money. */
type Money = (micro: number) => string

function countRows({ tenant, today, month }: TenantUsage, money: Money): string[][] {
  return [
    [terminalLine(tenant), 'today', ...cells(today, money)],
    ['', 'month', ...cells(month, money)],
  ]
}

function cells(counts: AdminReading<'UsageCounts'>, money: Money): string[] {
  const { requests, refused, inputTokens, outputTokens, costMicro } = counts
  return [...[requests, refused, inputTokens, outputTokens].map(count), money(costMicro)]
}

function limitRows(
  { tenant, limits }: TenantUsage,
  policies: readonly UsagePolicy[],
  money: Money,
): string[][] {
  return limits.map((state, index) => [
    index === 0 ? terminalLine(tenant) : '',
    terminalLine(state.policy),
    ...stateCells(
      state,
      policies.find(({ name }) => name === state.policy),
      money,
    ),
  ])
}

function stateCells(
  { left, most, resetSeconds }: TenantUsage['limits'][number],
  policy: UsagePolicy | undefined,
  money: Money,
): string[] {
  const amount = policy?.unit === 'cost' ? money : count
  const rule = policy === undefined ? '' : allowed(policy, money)
  return [amount(left), amount(most), duration(resetSeconds), rule]
}

function allowed({ unit, limit, perSeconds, per }: UsagePolicy, money: Money): string {
  const period = terminalLine(per ?? `${count(perSeconds ?? 0)} s`)
  return unit === 'cost'
    ? `${money(limit)} per ${period}`
    : `${count(limit)} ${terminalLine(unit)} per ${period}`
}

function noteOf(policies: readonly UsagePolicy[]): string[] {
  if (policies.length === 0) return ['', 'No limits are configured (gateway.rate_limits).']
  const others = policies.filter(({ key }) => key.join() !== 'tenant').map(({ name }) => terminalLine(name))
  return others.length === 0
    ? []
    : ['', `Limits of callers or routes, without a state per tenant: ${others.join(', ')}`]
}

function count(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 0 })
}

const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 6 }

/** Amounts of money in millionths, with two to six decimals. */
function moneyIn(currency: string | null): Money {
  const unit = currency === null ? '' : ` ${terminalLine(currency)}`
  return (micro) => `${(micro / 1_000_000).toLocaleString('en-US', decimals)}${unit}`
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

function duration(seconds: number): string {
  if (seconds <= 0) return 'now'
  if (seconds < 2 * MINUTE) return `${Math.ceil(seconds)} s`
  if (seconds < 2 * HOUR) return `${Math.ceil(seconds / MINUTE)} min`
  if (seconds < 2 * DAY) return `${Math.ceil(seconds / HOUR)} h`
  return `${Math.ceil(seconds / DAY)} d`
}
