import type { ErrorCode } from '../../errors.ts'
import { decodeToken, type JsonObject } from './decode-token.ts'
import type { Issuer, Issuers } from './issuers.ts'
import type { KeyQuery, KeySource } from './key-source.ts'
import { type Lifetime, lifetimeFault, readLifetime } from './lifetime.ts'
import { normaliseTokenType } from './token-type.ts'

/** A token that may be valid: all that is left is what needs a key. */
export interface InspectedToken {
  readonly token: string
  readonly claims: JsonObject
  readonly issuer: Issuer
  readonly keys: KeySource
  readonly query: KeyQuery
  readonly lifetime: Lifetime
}

/** The rules that hold for every issuer. */
export interface InspectionRules {
  readonly issuers: Issuers
  readonly clockSkewSeconds: number
}

const MAX_KID_LENGTH = 256

/**
 * Judges what costs nothing: form, issuer, algorithm, type and time. Time comes before the signature, so that an expired
 * token makes nobody look for the key of yesterday. What a claim must say otherwise is told only to who can sign.
 */
export function inspectToken(token: string, rules: InspectionRules): InspectedToken | ErrorCode {
  const decoded = decodeToken(token)
  if (decoded === undefined) return 'INVALID_TOKEN'
  const { header, claims } = decoded
  const issuer = typeof claims['iss'] === 'string' ? rules.issuers.get(claims['iss']) : undefined
  if (issuer === undefined) return 'UNKNOWN_ISSUER'
  // RFC 8725, section 3.1: the issuer's configuration allows algorithms, never the token.
  const { alg: algorithm, kid } = header
  const keys = typeof algorithm === 'string' ? issuer.keys.get(algorithm) : undefined
  if (keys === undefined || typeof algorithm !== 'string') return 'DISALLOWED_ALGORITHM'
  if (!isKid(kid) || !isPlainHeader(header) || !hasAllowedType(header, issuer)) return 'INVALID_TOKEN'
  const lifetime = readLifetime(claims, rules.clockSkewSeconds)
  if (typeof lifetime === 'string') return lifetime
  const fault = lifetimeFault(lifetime, Date.now())
  return fault ?? { token, claims, issuer, keys, query: { kid, algorithm }, lifetime }
}

function isKid(kid: unknown): kid is string | undefined {
  return kid === undefined || (typeof kid === 'string' && kid.length <= MAX_KID_LENGTH)
}

/** No extension is understood here, so `crit` is refused (RFC 7515, section 4.1.11), and `b64` too (RFC 7797, section 7). */
function isPlainHeader(header: JsonObject): boolean {
  return !Object.hasOwn(header, 'crit') && !Object.hasOwn(header, 'b64')
}

/** RFC 8725, section 3.11. Most issuers send no `typ` at all, which is accepted. */
function hasAllowedType({ typ }: JsonObject, { tokenTypes }: Issuer): boolean {
  return typ === undefined || (typeof typ === 'string' && tokenTypes.has(normaliseTokenType(typ)))
}
