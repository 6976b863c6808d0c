/** The value at a dotted path of a token's claims, by own properties only: `realm_access.roles`. */
export function readClaim(claims: Readonly<Record<string, unknown>>, path: string): unknown {
  // A claim may have dots in its own name (a namespaced one such as `https://example.test/roles`): it comes first.
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
