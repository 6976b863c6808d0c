import type { AdminBody } from '@agentic-rest/profile/admin'
import type { Exchange } from '../exchange.ts'
import { roundMs, shownOutcome } from './exchange-times.ts'
import {
  entryOf,
  listedCall,
  listedRedactions,
  type RecentExchange,
  type RecentExchanges,
  startedAtOf,
} from './recent-exchanges.ts'

/** A finished request as Live lists it. */
export type RequestRow = AdminBody<'RequestRow'>

/** Longer paths are cut in lists. */
export const MAX_PATH_LENGTH = 512

/** The row of a request that ends now. */
export function rowNow(exchange: Exchange): RequestRow {
  return rowOf(entryOf(exchange))
}

/** The row of a finished request, without the query, which may be confidential. */
function rowOf(entry: RecentExchange): RequestRow {
  const { reason, upstreamMs, streamed } = entry
  const rule = reason?.rule ?? (entry.violations.join(',') || undefined)
  return {
    at: startedAtOf(entry),
    spanId: entry.spanId,
    route: entry.route || 'unmatched',
    method: entry.method,
    path: entry.path.slice(0, MAX_PATH_LENGTH),
    status: entry.status,
    outcome: shownOutcome(entry.outcome, streamed),
    tenant: entry.tenant,
    actor: entry.actor,
    correlationId: entry.correlationId,
    requestId: entry.requestId,
    durationMs: roundMs(entry.durationMs),
    upstreamMs: Number.isNaN(upstreamMs) ? null : roundMs(upstreamMs),
    pluginMs: roundMs(entry.pluginMs),
    streamed,
    ...(reason !== undefined && { code: reason.code }),
    ...(rule !== undefined && { rule }),
    ...(reason?.cause !== undefined && { cause: reason.cause }),
    ...listedRedactions(entry),
    ...listedCall(entry),
  }
}

/** A remembered request and the time of its end, which orders the requests of all workers. */
export type RememberedRow = readonly [endedAt: number, row: RequestRow]

/** A page is small, because its JSON is made between two requests. */
const PAGE_ROWS = 512

/** The newest requests of this process that ended before a time, at most one page. */
export function rowsBefore(recent: RecentExchanges, before: number): RememberedRow[] {
  const rows: RememberedRow[] = []
  for (const entry of recent.newestFirst()) {
    if (rows.length === PAGE_ROWS) break
    const endedAt = endOf(entry)
    if (endedAt < before) rows.push([endedAt, rowOf(entry)])
  }
  return rows
}

/** By the monotonic clock: a change of the system time must not hide requests or list them twice. */
function endOf({ startedAt, durationMs }: RecentExchange): number {
  return performance.timeOrigin + startedAt + durationMs
}

/** Merges the rows of several processes to one page. */
export function pageOf(rows: readonly RememberedRow[]): AdminBody<'Requests'> {
  const page = rows.toSorted(([first], [second]) => second - first).slice(0, PAGE_ROWS)
  const [last = 0] = page.at(-1) ?? []
  return { requests: page.map(([, row]) => row), next: page.length < PAGE_ROWS ? null : last }
}
