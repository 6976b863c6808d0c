/**
 * The path of the first number that is not finite; undefined if there is none. `JSON.parse` reads 1e999 as Infinity, which
 * `JSON.stringify` writes as null: digests and stored jobs would take it for null. The depth is limited before (F14).
 */
export function notFiniteAt(value: unknown): readonly string[] | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const path = notFiniteAt(member)
    if (path !== undefined) return [name, ...path]
  }
  return undefined
}
