import type { RequestRow } from '../api/feed-events.ts'
import { familyOf } from '../shell/outcome-family.ts'

/** What the table is narrowed to; an empty text means everything. */
export interface RowFilter {
  readonly route: string
  /** An outcome, or a family of them. */
  readonly outcome: string
  readonly tenant: string
  /** Anything within the path, the actor, or an id. */
  readonly text: string
}

/** No narrowing at all. */
export const everything: RowFilter = { route: '', outcome: '', tenant: '', text: '' }

/** The rows that a filter lets through. */
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

/** Whether a filter lets everything through. */
export function isEmpty({ route, outcome, tenant, text }: RowFilter): boolean {
  return [route, outcome, tenant, text.trim()].every((part) => part === '')
}

/** The values that a column has, sorted, for a list to choose from. */
export function valuesOf(rows: readonly RequestRow[], column: 'route' | 'outcome' | 'tenant'): string[] {
  return [...new Set(rows.map((row) => row[column]))].filter((value) => value !== '').toSorted()
}

/** A filter that was kept as text. */
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
