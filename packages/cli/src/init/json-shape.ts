/** A map of JSON. */
export type JsonMap = Readonly<Record<string, unknown>>

/** The value as a map, an empty one where it is none. */
export function mapOf(value: unknown): JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : {}
}

/** The value as a list, an empty one where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as a text, or nothing. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
