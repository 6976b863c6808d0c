/** JSON with sorted members: equal values have equal texts. `value` is JSON, and its depth is limited by its reader. */
export function canonicalJson(value: unknown): string {
  const sorted = JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).toSorted(byName))
  })
  return sorted ?? 'null'
}

/** Order by code units, independent of the locale. Values of one name keep their order. */
export function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  if (left === right) return 0
  return left < right ? -1 : 1
}
