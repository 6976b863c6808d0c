import { readClaim } from '@agentic-rest/profile'
import { ROLE, SCOPE } from '../../config/schema/formats.ts'
import type { Identity } from '../../exchange.ts'
import type { InspectedToken, JsonObject, TokenFault } from './inspect-token.ts'
import type { Issuer } from './issuers.ts'
import type { KeyLookup, Waiter } from './key-set.ts'
import { isSignedByAny } from './verify-signature.ts'

/** The identity of a valid token, and the version of the keys that verified it. */
export interface VerifiedIdentity {
  readonly identity: Identity
  readonly keysVersion: number
}

interface VerifiedSignature {
  readonly keysVersion: number
}

interface ClaimRules {
  readonly requiredClaims: readonly string[]
  readonly waiter: Waiter | undefined
}

// A blank at either end would be lost on the wire: " alice" would reach the upstream as another user's "alice".
const HEADER_TEXT = /^[\x21-\x7e](?:[\x20-\x7e]{0,254}[\x21-\x7e])?$/

/**
 * Verifies the signature first, so that only holders of a signed token see claim errors. A known key that verifies quickly
 * gives the result at once; the promise of any other never rejects.
 */
export function verifyToken(
  token: InspectedToken,
  requiredClaims: readonly string[],
  waiter?: Waiter,
): VerifiedIdentity | TokenFault | Promise<VerifiedIdentity | TokenFault> {
  const first = checkSignature(token.keys.find(token.query, waiter), token)
  if (first instanceof Promise || mayHaveNewKey(token, first))
    return verifyLater(token, first, { requiredClaims, waiter })
  return judgeClaims(token, first, requiredClaims)
}

async function verifyLater(
  token: InspectedToken,
  first: VerifiedSignature | TokenFault | Promise<VerifiedSignature | TokenFault>,
  { requiredClaims, waiter }: ClaimRules,
): Promise<VerifiedIdentity | TokenFault> {
  const checked = await first
  if (!mayHaveNewKey(token, checked)) return judgeClaims(token, checked, requiredClaims)
  const refetched = token.keys.findAfterRefetch(token.query, waiter)
  return judgeClaims(token, await checkSignature(refetched, token), requiredClaims)
}

/** Without a `kid`, the only sign of a new key is a signature that fits no known key. */
function mayHaveNewKey({ query }: InspectedToken, result: VerifiedSignature | TokenFault): boolean {
  return query.kid === undefined && (result === 'UNKNOWN_KEY' || result === 'WRONG_SIGNATURE')
}

function judgeClaims(
  { claims, issuer }: InspectedToken,
  signature: VerifiedSignature | TokenFault,
  requiredClaims: readonly string[],
): VerifiedIdentity | TokenFault {
  if (typeof signature === 'string') return signature
  const identity = readIdentity(claims, issuer, requiredClaims)
  return typeof identity === 'string' ? identity : { identity, keysVersion: signature.keysVersion }
}

function checkSignature(
  lookup: KeyLookup | Promise<KeyLookup>,
  token: InspectedToken,
): VerifiedSignature | TokenFault | Promise<VerifiedSignature | TokenFault> {
  if (lookup instanceof Promise) return lookup.then((found) => checkSignature(found, token))
  switch (lookup.type) {
    case 'unavailable':
      return 'JWKS_UNAVAILABLE'
    case 'unknown':
      return 'UNKNOWN_KEY'
    case 'found': {
      const verdictOf = (valid: boolean) => (valid ? { keysVersion: lookup.version } : 'WRONG_SIGNATURE')
      const valid = isSignedByAny(token.signed, lookup.keys)
      return valid instanceof Promise ? valid.then(verdictOf) : verdictOf(valid)
    }
  }
}

/** The caller that claims name, or the code of their fault. The claims must be verified before. */
export function readIdentity(
  claims: JsonObject,
  issuer: Issuer,
  requiredClaims: readonly string[],
): Identity | TokenFault {
  if (!hasAudience(claims['aud'], issuer.audiences)) return 'AUDIENCE_MISMATCH'
  if (missingClaim(claims, issuer, requiredClaims) !== undefined) return 'REQUIRED_CLAIM_MISSING'
  const subject = readClaim(claims, issuer.claims.subject)
  // The subject goes upstream in a header (decision 16).
  if (typeof subject !== 'string' || !isHeaderText(subject)) return 'UNUSABLE_SUBJECT'
  const known = issuer.serviceAccounts
  const named = known?.values.has(readClaim(claims, known.claim)) === true
  return {
    issuer: issuer.name,
    subject,
    roles: readRoles(readClaim(claims, issuer.claims.roles)),
    scopes: readScopes(claims['scope'] ?? claims['scp']),
    claims,
    serviceAccount: issuer.serviceAccount || named,
    serviceTenants: named ? known?.tenants : undefined,
    tenantClaim: issuer.claims.tenant,
    ...(Object.hasOwn(claims, 'cnf') && { boundTo: certificateOf(claims['cnf']) }),
  }
}

/** The first required claim that is missing or empty, if any. */
export function missingClaim(
  claims: JsonObject,
  issuer: Issuer,
  requiredClaims: readonly string[],
): string | undefined {
  return [...requiredClaims, issuer.claims.subject].find((path) => isEmpty(readClaim(claims, path)))
}

/**
 * The certificate that a `cnf` claim names (RFC 8705, section 3.1). Any other member is a proof that the gateway does not
 * check, such as `jkt` (RFC 9449): the empty text equals no digest, so that the token is refused.
 */
export function certificateOf(cnf: unknown): string {
  if (typeof cnf !== 'object' || cnf === null) return ''
  const [[name, digest] = [], ...more] = Object.entries(cnf)
  return name === 'x5t#S256' && typeof digest === 'string' && more.length === 0 ? digest : ''
}

/** RFC 7519, section 4.1.3: `aud` is one text or a list of texts. */
function hasAudience(aud: unknown, audiences: ReadonlySet<string>): boolean {
  if (audiences.size === 0) return true
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  return named.some((audience) => typeof audience === 'string' && audiences.has(audience))
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/**
 * Reads a claim with roles: a list of texts, or one text with blanks or commas between the roles. A role that a
 * comma-joined header cannot carry is dropped; dropping one never grants another.
 */
function readRoles(value: unknown): readonly string[] {
  const named: readonly unknown[] = typeof value === 'string' ? value.split(/[\s,]+/) : asList(value)
  return [...new Set(named.filter(isRole))]
}

/** Reads scopes: one text with blanks between them (RFC 9068, section 2.2.3), or a list, as some issuers send it. */
function readScopes(value: unknown): readonly string[] {
  const named: readonly unknown[] = typeof value === 'string' ? value.split(' ') : asList(value)
  return [...new Set(named.filter((scope) => typeof scope === 'string' && SCOPE.test(scope)))] as string[]
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function isRole(value: unknown): value is string {
  return typeof value === 'string' && ROLE.test(value)
}

/** Whether a header carries the text unchanged: 1 to 256 printable ASCII characters, no blank at either end. */
export function isHeaderText(value: string): boolean {
  return HEADER_TEXT.test(value)
}
