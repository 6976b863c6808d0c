/** The members of a JSON object; none if the value is no object. */
export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}

/** The elements of a JSON array; none if the value is no array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text; empty if the value is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
