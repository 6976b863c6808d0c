import { ROLE } from '../../config/schema/role.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Identity } from '../../exchange.ts'
import { readClaim } from '../read-claim.ts'
import type { JsonObject } from './decode-token.ts'
import { isHeaderText } from './header-text.ts'
import type { Issuer } from './issuers.ts'

/** Says who a token with a good signature stands for, or why it is refused all the same. */
export function readIdentity(
  claims: JsonObject,
  issuer: Issuer,
  requiredClaims: readonly string[],
): Identity | ErrorCode {
  if (!hasAudience(claims['aud'], issuer.audiences)) return 'AUDIENCE_MISMATCH'
  if (requiredClaims.some((path) => isEmpty(readClaim(claims, path)))) return 'REQUIRED_CLAIM_MISSING'
  const subject = readClaim(claims, issuer.claims.subject)
  if (isEmpty(subject)) return 'REQUIRED_CLAIM_MISSING'
  // It is sent upstream in a header (decision 16).
  if (typeof subject !== 'string' || !isHeaderText(subject)) return 'INVALID_TOKEN'
  return {
    subject,
    roles: readRoles(readClaim(claims, issuer.claims.roles)),
    claims,
    serviceAccount: issuer.serviceAccount,
    tenantClaim: issuer.claims.tenant,
  }
}

/** RFC 7519, section 4.1.3: one text or a list of them. */
function hasAudience(aud: unknown, audiences: ReadonlySet<string>): boolean {
  if (audiences.size === 0) return true
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.some((audience) => typeof audience === 'string' && audiences.has(audience))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/**
 * The roles in a claim: a list of texts, or one text that separates them by blanks or commas. What would not come out
 * of a comma-joined header as it went in is dropped: nobody gains a role that way.
 */
export function readRoles(value: unknown): readonly string[] {
  const named: readonly unknown[] = typeof value === 'string' ? value.split(/[\s,]+/) : asList(value)
  return [...new Set(named.filter(isRole))]
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isRole(value: unknown): value is string {
  return typeof value === 'string' && ROLE.test(value)
}
