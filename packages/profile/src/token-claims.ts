import { parseJson } from './parse-json.ts'

type Claims = Readonly<Record<string, unknown>>

/** The claims in a JWT, not verified: only for display. Other tokens have none. */
export function claimsOf(token: string): Claims {
  const payload = token.split('.')[1] ?? ''
  try {
    const text = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0))
    return Object(parseJson(new TextDecoder().decode(bytes)).value)
  } catch {
    return {}
  }
}

/** A claim by its name, or by a dotted path such as `realm_access.roles`. */
export function readClaim(claims: Claims, path: string): unknown {
  // A claim may have dots in its own name (a namespaced one such as `https://example.test/roles`): it comes first.
  if (Object.hasOwn(claims, path)) return claims[path]
  let value: unknown = claims
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}
