import type { AuditEvent } from '@agentic-rest/profile'
import { type RecentExchanges, recordOf, startedAtOf } from './recent-exchanges.ts'
import { shownOutcome } from './shown-outcome.ts'

/** One exchange as it is listed, to choose one. */
export interface ExchangeRow {
  readonly correlationId: string
  readonly at: string
  readonly route: string
  readonly outcome: string
  readonly status: number
  readonly tenant: string
  readonly streamed: boolean
}

const MAX_SHOWN_EXCHANGES = 100

/** The last exchanges, newest first, each correlation id once. */
export function recentRows(recent: RecentExchanges): ExchangeRow[] {
  const shown = new Map<string, ExchangeRow>()
  for (const exchange of recent.newestFirst()) {
    if (shown.size === MAX_SHOWN_EXCHANGES) break
    const { correlationId, route, outcome, status, tenant, streamed } = exchange
    if (shown.has(correlationId)) continue
    shown.set(correlationId, {
      correlationId,
      at: startedAtOf(exchange),
      route: route || 'unmatched',
      outcome: shownOutcome(outcome, streamed),
      status,
      tenant,
      streamed,
    })
  }
  return [...shown.values()]
}

/** The rows of several processes as those of one: the newest of all of them, each correlation id once. */
export function mergeRows(rows: readonly ExchangeRow[]): ExchangeRow[] {
  const newestFirst = rows.toSorted((first, second) => Date.parse(second.at) - Date.parse(first.at))
  // The last one that is put in stays, and the newest is to stay.
  const byId = new Map(newestFirst.toReversed().map((row) => [row.correlationId, row]))
  return newestFirst.filter((row) => byId.get(row.correlationId) === row).slice(0, MAX_SHOWN_EXCHANGES)
}

/** The records of one correlation id. */
export function ownRecords(correlationId: string, recent: RecentExchanges): AuditEvent[] {
  const records: AuditEvent[] = []
  for (const exchange of recent.newestFirst())
    if (exchange.correlationId === correlationId) records.push(recordOf(exchange))
  return records
}
