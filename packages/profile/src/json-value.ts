/** A JSON object of unknown members. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of a JSON object; none if the value is no object. */
export function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The elements of a JSON array; none if the value is no array. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
