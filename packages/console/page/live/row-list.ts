import type { RequestRow } from '../api/feed-events.ts'

/** As many rows as one process of the gateway remembers. */
export const MAX_ROWS = 5_000

/** Adds rows to a list, newest first, each request once. The feed and the remembered requests overlap. */
export function addRows(rows: readonly RequestRow[], added: readonly RequestRow[]): readonly RequestRow[] {
  const known = new Set(rows.map(({ spanId }) => spanId))
  const fresh = added.filter(({ spanId }) => !known.has(spanId) && known.add(spanId))
  if (fresh.length === 0) return rows
  // Known rows stay the same objects: the table does not draw them again.
  return [...fresh, ...rows].toSorted((first, second) => second.endedMs - first.endedMs).slice(0, MAX_ROWS)
}

/** The text of a row that a search looks through. */
export function wordsOf(row: RequestRow): string {
  const { method, path, status, route, tenant, actor, code, rule, cause, correlationId, requestId, via } = row
  return [
    method,
    path,
    status,
    route,
    tenant,
    actor,
    code,
    rule,
    cause,
    correlationId,
    requestId,
    ...via,
  ].join(' ')
}

/** A row for a file: the members of the admin API, without those of the page. */
export function exportedRow({ endedMs: _, via: __, mcp, ...row }: RequestRow): object {
  const known = Object.entries(row).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(known), ...(mcp !== null && { mcp }) }
}
