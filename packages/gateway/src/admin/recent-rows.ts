import type { AdminBody } from '@agentic-rest/profile/admin'
import { shownOutcome } from './exchange-times.ts'
import {
  listedCall,
  parentSpanOf,
  type RecentExchange,
  type RecentExchanges,
  startedAtOf,
} from './recent-exchanges.ts'
import { MAX_PATH_LENGTH } from './request-row.ts'

/** Requests of one exchange that differ only in their time, for example polls. */
type RequestGroup = AdminBody<'RequestGroup'>

/** The requests of one correlation id, oldest first. Its tenant is the first one: any client can send the id of another. */
export type ExchangeRow = Omit<AdminBody<'Recent'>['exchanges'][number], 'ended' | 'parts'>

/** A part of the list: so many exchanges, with their newest request not after a time. */
export type RowPage = { readonly most: number; readonly untilMs: number }

/** The most exchanges in one answer, because its JSON is made between two requests. */
export const MOST_LISTED = 512

const MAX_GROUPS = 40

/** The last exchanges, newest first, one per correlation id. */
export function recentRows(recent: RecentExchanges, { most, untilMs }: RowPage): ExchangeRow[] {
  const byId = new Map<string, RecentExchange[]>()
  for (const exchange of recent.newestFirst()) {
    const known = byId.get(exchange.correlationId)
    if (known === undefined) byId.set(exchange.correlationId, [exchange])
    else known.push(exchange)
  }
  const found = [...byId.values()].map((exchanges) => ({ exchanges, newestMs: newestMsOf(exchanges) }))
  return found
    .filter(({ newestMs }) => newestMs <= untilMs)
    .toSorted((a, b) => b.newestMs - a.newestMs)
    .slice(0, most)
    .map(({ exchanges }) => rowOf(exchanges))
}

/** In whole milliseconds like the `at` of a row, with which the next page begins. */
function newestMsOf(exchanges: readonly RecentExchange[]): number {
  return exchanges.reduce(
    (newest, { endedAtMs, durationMs }) => Math.max(newest, Math.trunc(endedAtMs - durationMs)),
    0,
  )
}

function rowOf(exchanges: readonly RecentExchange[]): ExchangeRow {
  const requests = groupRequests(exchanges.map(requestOf).toSorted(byArrival))
  const { correlationId = '' } = exchanges[0] ?? {}
  return { correlationId, at: newestOf(requests), tenant: firstTenant(requests), requests }
}

/** Merges the rows of several processes: the newest of all, one per correlation id. */
export function mergeRows(rows: readonly ExchangeRow[], most: number): ExchangeRow[] {
  const byId = new Map<string, ExchangeRow>()
  for (const row of rows) {
    const known = byId.get(row.correlationId)
    byId.set(row.correlationId, known === undefined ? row : joinRows(known, row))
  }
  return [...byId.values()].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, most)
}

function joinRows(a: ExchangeRow, b: ExchangeRow): ExchangeRow {
  const requests = groupRequests([...a.requests, ...b.requests].toSorted(byArrival))
  return { ...a, at: newestOf(requests), tenant: firstTenant(requests), requests }
}

function firstTenant(requests: readonly RequestGroup[]): string {
  return requests.find(({ tenant }) => tenant !== '')?.tenant ?? ''
}

/** Groups requests, oldest first. The rounds of the first request are always kept: they decide the state of the exchange. */
function groupRequests(requests: readonly RequestGroup[]): RequestGroup[] {
  const groups = new Map<string, RequestGroup>()
  const [first] = requests
  for (const request of requests) {
    const { method, path, tenant, actor, status, outcome, code, inner, mcp } = request
    const call = mcp && [mcp.tool, mcp.client, mcp.version, mcp.round]
    const key = [method, path, tenant, actor, status, outcome, code, inner, call].join('\n')
    const known = groups.get(key)
    const isRound = method === first?.method && path === first.path
    if (known !== undefined) groups.set(key, joinGroups(known, request))
    else if (isRound || groups.size < MAX_GROUPS) groups.set(key, request)
  }
  return [...groups.values()]
}

function joinGroups(known: RequestGroup, other: RequestGroup): RequestGroup {
  const newest = Date.parse(other.lastAt) >= Date.parse(known.lastAt) ? other : known
  return { ...newest, at: known.at, count: known.count + other.count }
}

function byArrival(a: RequestGroup, b: RequestGroup): number {
  return Date.parse(a.at) - Date.parse(b.at)
}

function newestOf(requests: readonly RequestGroup[]): string {
  return (
    requests
      .map(({ lastAt }) => lastAt)
      .toSorted()
      .at(-1) ?? ''
  )
}

function requestOf(exchange: RecentExchange): RequestGroup {
  const at = startedAtOf(exchange)
  return {
    requestId: exchange.requestId,
    method: exchange.method,
    path: exchange.path.slice(0, MAX_PATH_LENGTH),
    route: exchange.route || 'unmatched',
    tenant: exchange.tenant,
    actor: exchange.actor,
    status: exchange.status,
    outcome: shownOutcome(exchange.outcome, exchange.streamed),
    ...(exchange.reason !== undefined && { code: exchange.reason.code }),
    inner: parentSpanOf(exchange) !== undefined,
    ...listedCall(exchange),
    at,
    lastAt: at,
    endedAt: new Date(exchange.endedAtMs).toISOString(),
    count: 1,
  }
}
