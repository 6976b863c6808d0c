import { viaOf } from '../api/mcp-call.ts'
import type { RecentExchange } from '../api/recent-exchanges.ts'
import type { Searchable } from '../search/search.ts'
import { type ExchangeTitle, titleOf } from './exchange-state.ts'

/** An exchange of the list, with its title, as a search looks at it. */
export interface ListedExchange extends Searchable {
  readonly exchange: RecentExchange
  readonly title: ExchangeTitle
}

/** The entries of earlier lists: a refresh changes few of thousands of exchanges. */
export type KnownEntries = WeakMap<RecentExchange, ListedExchange>

/** The exchanges with a title, in the same order. */
export function listExchanges(
  exchanges: readonly RecentExchange[],
  known: KnownEntries = new WeakMap(),
): readonly ListedExchange[] {
  return exchanges.flatMap((exchange) => {
    const before = known.get(exchange)
    if (before !== undefined) return [before]
    const title = titleOf(exchange.requests, exchange.ended)
    if (title === undefined) return []
    const entry = listed(exchange, title)
    known.set(exchange, entry)
    return [entry]
  })
}

function listed(exchange: RecentExchange, title: ExchangeTitle): ListedExchange {
  const { requests } = exchange
  const { outcome, family } = title.state
  const values = (field: 'code' | 'route' | 'tenant' | 'actor') => [
    ...new Set(requests.map((request) => request[field] ?? '')),
  ]
  return {
    exchange,
    title,
    outcome,
    family,
    tenant: [...new Set([exchange.tenant, ...values('tenant')])].filter((tenant) => tenant !== ''),
    code: values('code'),
    route: values('route'),
    actor: values('actor'),
    via: [...new Set(requests.flatMap(({ mcp }) => viaOf(mcp)))],
    durationMs: durationOf(exchange),
  }
}

/** The time from the first request to the end of the last one, background work included; `null` without times. */
function durationOf({ requests, ended }: RecentExchange): number | null {
  const starts = requests.map(({ startMs }) => startMs).filter((ms) => ms > 0)
  const ends = [...requests.map(({ endMs }) => endMs), ...ended.map(({ atMs }) => atMs)]
  return starts.length === 0 ? null : Math.max(0, Math.max(...ends) - Math.min(...starts))
}

/** The text of an exchange that a search looks through. */
export function wordsOf({ exchange, title, code, tenant, via }: ListedExchange): string {
  const { correlationId, parts, requests } = exchange
  const ofRequests = requests.flatMap(({ requestId, method, path, route, actor, status }) => [
    requestId,
    method,
    path,
    route,
    actor,
    status,
  ])
  return [correlationId, tenant, title.name, title.state.words, parts, code, via, ofRequests].flat().join(' ')
}

/** An exchange for a file. */
export function exportedExchange({
  exchange,
  title,
  durationMs,
  code,
  route,
  actor,
}: ListedExchange): object {
  const { correlationId, tenant, parts } = exchange
  const { words, outcome, status } = title.state
  const startMs = Math.min(...exchange.requests.map(({ startMs: ms }) => ms).filter((ms) => ms > 0))
  return {
    correlationId,
    name: title.name,
    state: words,
    outcome,
    status: status ?? null,
    startedAt: Number.isFinite(startMs) ? new Date(startMs).toISOString() : null,
    durationMs,
    tenant,
    actors: known(actor),
    routes: known(route),
    codes: known(code),
    parts,
  }
}

function known(values: Searchable['actor']): readonly string[] {
  return [values].flat().filter((value) => value !== '')
}
