import { styleText } from 'node:util'
import type { AdminReading } from '@agentic-rest/profile/admin'
import { terminalLine, textTable } from '../terminal-text.ts'

type TenantUsage = AdminReading<'TenantUsage'>
type UsagePolicy = AdminReading<'UsagePolicy'>

const COUNT_HEADINGS = ['TENANT', 'PERIOD', 'REQUESTS', 'REFUSED', 'INPUT TOKENS', 'OUTPUT TOKENS', 'COST']
const LIMIT_HEADINGS = ['TENANT', 'LIMIT', 'LEFT', 'OF', 'FULL AGAIN IN', 'ALLOWS']

/** The usage of tenants as tables: the counts of both periods, then the state of each limit. */
export function showUsage(
  { policies, tenants }: AdminReading<'Usage'>,
  stream: NodeJS.WriteStream,
): string[] {
  const counts = tenants.flatMap(countRows)
  const states = tenants.flatMap((usage) => limitRows(usage, policies))
  return [
    ...(counts.length === 0 ? ['No request of this month was counted.'] : []),
    ...table(COUNT_HEADINGS, counts, { stream, numbers: [2, 3, 4, 5, 6] }),
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

function countRows({ tenant, today, month }: TenantUsage): string[][] {
  return [
    [terminalLine(tenant), 'today', ...cells(today)],
    ['', 'month', ...cells(month)],
  ]
}

function cells({
  requests,
  refused,
  inputTokens,
  outputTokens,
  costMicro,
}: AdminReading<'UsageCounts'>): string[] {
  return [...[requests, refused, inputTokens, outputTokens].map(count), money(costMicro)]
}

function limitRows({ tenant, limits }: TenantUsage, policies: readonly UsagePolicy[]): string[][] {
  return limits.map((state, index) => [
    index === 0 ? terminalLine(tenant) : '',
    terminalLine(state.policy),
    ...stateCells(
      state,
      policies.find(({ name }) => name === state.policy),
    ),
  ])
}

function stateCells(
  { left, most, resetSeconds }: TenantUsage['limits'][number],
  policy: UsagePolicy | undefined,
): string[] {
  const amount = policy?.unit === 'cost' ? money : count
  return [amount(left), amount(most), duration(resetSeconds), policy === undefined ? '' : allowed(policy)]
}

function allowed({ unit, limit, perSeconds, per }: UsagePolicy): string {
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

/** An amount of money in millionths, with two to six decimals. */
function money(micro: number): string {
  return (micro / 1_000_000).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 6 })
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
