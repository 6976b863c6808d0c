import type { RequestRow } from '../api/feed-events.ts'
import { familyOf } from '../shell/outcome-family.ts'

/** The filter of the table. An empty text means all. */
export interface RowFilter {
  readonly route: string
  /** An outcome, or a family of them. */
  readonly outcome: string
  readonly tenant: string
  /** A part of the path, the actor, or an id. */
  readonly text: string
}

/** The empty filter. */
export const everything: RowFilter = { route: '', outcome: '', tenant: '', text: '' }

/** The rows that match a filter. */
export function filterRows(rows: readonly RequestRow[], filter: RowFilter): readonly RequestRow[] {
  if (isEmpty(filter)) return rows
  const text = filter.text.trim().toLowerCase()
  return rows.filter(
    (row) =>
      isWanted(filter.route, row.route) &&
      (isWanted(filter.outcome, row.outcome) || filter.outcome === familyOf(row.outcome)) &&
      isWanted(filter.tenant, row.tenant) &&
      (text === '' || searchText(row).includes(text)),
  )
}

/** Whether a filter matches all rows. */
export function isEmpty({ route, outcome, tenant, text }: RowFilter): boolean {
  return [route, outcome, tenant, text.trim()].every((part) => part === '')
}

/** The sorted values of a column, for a list. */
export function valuesOf(rows: readonly RequestRow[], column: 'route' | 'outcome' | 'tenant'): string[] {
  return [...new Set(rows.map((row) => row[column]))].filter((value) => value !== '').toSorted()
}

/** Reads a stored filter. */
export function parseFilter(text: string): RowFilter {
  try {
    const kept: unknown = JSON.parse(text)
    const fields = new Map(typeof kept === 'object' && kept !== null ? Object.entries(kept) : [])
    const value = (name: string) => (typeof fields.get(name) === 'string' ? String(fields.get(name)) : '')
    return { route: value('route'), outcome: value('outcome'), tenant: value('tenant'), text: value('text') }
  } catch {
    return everything
  }
}

function isWanted(wanted: string, value: string): boolean {
  return wanted === '' || wanted === value
}

function searchText({ path, actor, correlationId, requestId, method }: RequestRow): string {
  return [method, path, actor, correlationId, requestId].join(' ').toLowerCase()
}
