/** The members of a JSON object by name; empty for other values. */
export type Fields = ReadonlyMap<string, unknown>

/** The members of an object as a map, so that names such as `__proto__` have no special meaning. */
export function fieldsOf(value: unknown): Fields {
  return new Map(isObject(value) ? Object.entries(value) : [])
}

/** A text member, or the fallback. */
export function textOf(fields: Fields, name: string, fallback = ''): string {
  const value = fields.get(name)
  return typeof value === 'string' ? value : fallback
}

/** A text member, or null. */
export function textOrNull(fields: Fields, name: string): string | null {
  const value = fields.get(name)
  return typeof value === 'string' ? value : null
}

/** A finite number, or null. */
export function numberOrNull(fields: Fields, name: string): number | null {
  const value = fields.get(name)
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** A finite number, or 0. */
export function numberOf(fields: Fields, name: string): number {
  return numberOrNull(fields, name) ?? 0
}

/** Whether a member is true. */
export function isTrue(fields: Fields, name: string): boolean {
  return fields.get(name) === true
}

/** Each element of a list member, read by `read`. */
export function listOf<T>(fields: Fields, name: string, read: (value: unknown) => T): T[] {
  const value = fields.get(name)
  return Array.isArray(value) ? value.map(read) : []
}

/** The texts of a list member. */
export function textsOf(fields: Fields, name: string): string[] {
  return listOf(fields, name, String)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
