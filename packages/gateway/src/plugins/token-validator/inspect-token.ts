import { isUtf8 } from 'node:buffer'
import { memoize } from '@agentic-rest/http1'
import { parseJson } from '@agentic-rest/profile'
import type { ErrorCode } from '../../errors.ts'
import { type Issuer, type Issuers, normaliseTokenType } from './issuers.ts'
import type { KeyQuery, KeySource } from './key-set.ts'
import type { SignedText } from './verify-signature.ts'

/** The members of a JSON object from outside. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The header and the claims of a token. Nothing about them is trusted yet. */
export interface DecodedToken {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signature: Buffer
}

/** When a token is valid, in milliseconds of the epoch, clock skew included. */
export interface Lifetime {
  readonly startsAt: number
  readonly endsAt: number
}

/** The causes of `INVALID_TOKEN`. The caller is not told which of them it was. */
export const invalidTokenCauses = [
  'TOO_LONG',
  'MALFORMED',
  'UNSUPPORTED_HEADER',
  'ID_TOKEN',
  'WRONG_TYPE',
  'INVALID_DATE',
  'UNKNOWN_KEY',
  'WRONG_SIGNATURE',
  'UNUSABLE_SUBJECT',
  'NOT_ACTIVE',
  'OTHER_CERTIFICATE',
  'UNCHECKED_BINDING',
] as const

/** Why a token is refused: a code, or the cause of `INVALID_TOKEN`. */
export type TokenFault = Exclude<ErrorCode, 'INVALID_TOKEN'> | (typeof invalidTokenCauses)[number]

/** A token that passed every check that needs no key. */
export interface InspectedToken {
  readonly token: string
  readonly claims: JsonObject
  readonly issuer: Issuer
  readonly keys: KeySource
  readonly query: KeyQuery
  readonly lifetime: Lifetime
  readonly signed: SignedText
}

/** The rules for tokens of all issuers. */
export interface InspectionRules {
  readonly issuers: Issuers
  readonly clockSkewSeconds: number
}

const MAX_KID_LENGTH = 256
const [SPACE, COLON, BACKSLASH] = [0x20, 0x3a, 0x5c]
// The last second of the year 9999. Later dates are milliseconds mistaken for seconds, or tokens that never end.
const LAST_DATE = 253_402_300_799

/**
 * Checks everything that needs no key: form, issuer, algorithm, type and lifetime. The lifetime comes before the
 * signature, so that an expired token causes no fetch of its old key. The other claims come after the signature: only
 * holders of a signed token see claim errors.
 */
export function inspectToken(token: string, rules: InspectionRules): InspectedToken | TokenFault {
  const decoded = decodeToken(token)
  if (decoded === undefined) return 'MALFORMED'
  const { header, claims } = decoded
  const issuer = typeof claims['iss'] === 'string' ? rules.issuers.get(claims['iss']) : undefined
  if (issuer === undefined) return 'UNKNOWN_ISSUER'
  // RFC 8725, section 3.1: the configuration of the issuer decides about algorithms, never the token.
  const { alg: algorithm, kid } = header
  const keys = typeof algorithm === 'string' ? issuer.keys.get(algorithm) : undefined
  if (keys === undefined || typeof algorithm !== 'string') return 'DISALLOWED_ALGORITHM'
  if (!isKid(kid) || !isPlainHeader(header)) return 'UNSUPPORTED_HEADER'
  const otherType = typeFault(decoded, issuer)
  if (otherType !== undefined) return otherType
  const lifetime = readLifetime(claims, rules.clockSkewSeconds)
  if (typeof lifetime === 'string') return lifetime
  const fault = lifetimeFault(lifetime, Date.now())
  if (fault !== undefined) return fault
  const text = Buffer.from(token.slice(0, token.lastIndexOf('.')), 'latin1')
  const signed = { algorithm, text, signature: decoded.signature }
  return { token, claims, issuer, keys, query: { kid, algorithm }, lifetime, signed }
}

function isKid(kid: unknown): kid is string | undefined {
  return kid === undefined || (typeof kid === 'string' && kid.length <= MAX_KID_LENGTH)
}

/** The gateway supports no extension, so it refuses `crit` (RFC 7515, section 4.1.11) and `b64` (RFC 7797, section 7). */
function isPlainHeader(header: JsonObject): boolean {
  return !Object.hasOwn(header, 'crit') && !Object.hasOwn(header, 'b64')
}

/** Why a token is no access token of the issuer, by its type; `undefined` when it may be one. */
export function typeFault(
  { header, claims }: Pick<DecodedToken, 'header' | 'claims'>,
  issuer: Issuer,
): TokenFault | undefined {
  if (!hasAllowedType(header, issuer)) return 'WRONG_TYPE'
  return isIdToken(header, claims) ? 'ID_TOKEN' : undefined
}

/** RFC 8725, section 3.11. An absent `typ` is accepted, because most issuers send none. */
function hasAllowedType({ typ }: JsonObject, { tokenTypes }: Issuer): boolean {
  return typ === undefined || (typeof typ === 'string' && tokenTypes.has(normaliseTokenType(typ)))
}

/**
 * Whether a token is an ID token (decision 4). It tells a client who signed in (OpenID Connect Core, section 2), and is
 * no permission to call anything. Most issuers give both kinds the type JWT, so claims that only ID tokens have decide.
 * Some access tokens have a `nonce` too, but those have scopes.
 */
function isIdToken({ typ }: JsonObject, claims: JsonObject): boolean {
  if (typeof typ === 'string' && normaliseTokenType(typ) !== 'jwt') return false
  const has = (claim: string) => Object.hasOwn(claims, claim)
  if (has('at_hash') || has('c_hash') || claims['typ'] === 'ID') return true
  return has('nonce') && !has('scope') && !has('scp')
}

/** Decodes a compact JWS; `undefined` when it is none. An empty signature is decoded: the algorithm refuses it later. */
export function decodeToken(token: string): DecodedToken | undefined {
  const first = token.indexOf('.')
  const second = token.indexOf('.', first + 1)
  if (first < 0 || second < 0) return undefined
  // A further part is not canonical, because of its full stop.
  const signature = decodePart(token.slice(second + 1))
  const header = signature && decodeHeader(token.slice(0, first))
  const claims = header && decodeObject(token.slice(first + 1, second))
  return claims && { header, claims, signature }
}

/** The tokens of an issuer have the same few headers. */
const decodeHeader = memoize(decodeObject)

/**
 * Decodes canonical base64url; `undefined` for any other text. Without padding and with zeros in the unused last bits, one
 * signature has one spelling (RFC 7515, section 2). Node's decoder accepts any; encoding again shows the difference.
 */
function decodePart(part: string): Buffer | undefined {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : undefined
}

function decodeObject(part: string): JsonObject | undefined {
  const bytes = decodePart(part)
  if (bytes === undefined || !isUtf8(bytes)) return undefined
  // A byte order mark is not JSON (RFC 8259, section 8.1). Decoding keeps it, so that the parser refuses it.
  return parseObject(bytes.toString('utf8'))
}

/** Parses a JSON object without repeated names; `undefined` for another text. */
export function parseObject(text: string): JsonObject | undefined {
  const { value } = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  // RFC 7519, section 4: of a repeated name the upstream might read another value than the gateway.
  return countMembers(value) === countMembersInText(text) ? (value as JsonObject) : undefined
}

/** In valid JSON a text before a colon is the name of a member. NaN if the upstream might read another name (decision 45). */
function countMembersInText(text: string): number {
  // Asked here and not in the loop: V8 would move the search into it (decision 45).
  const namesAreSafe = text.includes('\\') ? isPlainName : () => true
  let members = 0
  let end = 0
  for (let start = text.indexOf('"'); start !== -1; start = text.indexOf('"', end)) {
    const quoteEnd = endOfText(text, start)
    end = quoteEnd
    while (text.charCodeAt(end) <= SPACE) end += 1
    if (text.charCodeAt(end) === COLON) members += namesAreSafe(text.slice(start, quoteEnd)) ? 1 : Number.NaN
  }
  return members
}

/** Whether a name can be written without an escape. */
function isPlainName(literal: string): boolean {
  return !literal.includes('\\') || !JSON.stringify(parseJson(literal).value).includes('\\')
}

/** The index after the closing quote of a text. */
function endOfText(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1)
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1)
  return quote + 1
}

/** Whether an odd number of backslashes is before the character. */
function isEscaped(text: string, index: number): boolean {
  let first = index
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1
  return (index - first) % 2 === 1
}

/** Counts the members of a value at all depths. */
function countMembers(value: object): number {
  const children: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
  let members = children === value ? 0 : children.length
  for (const child of children)
    if (typeof child === 'object' && child !== null) members += countMembers(child)
  return members
}

/** Reads the dates of a token; each must be a number. `exp` is required (RFC 9068, section 2.2). */
export function readLifetime(claims: JsonObject, skewSeconds: number): Lifetime | TokenFault {
  const { exp, nbf = 0, iat = 0 } = claims
  if (exp === undefined) return 'REQUIRED_CLAIM_MISSING'
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) return 'INVALID_DATE'
  // A token from the future is a forgery, or one of the two clocks is wrong.
  return { startsAt: (Math.max(nbf, iat) - skewSeconds) * 1000, endsAt: (exp + skewSeconds) * 1000 }
}

/** The error code of a token outside its lifetime; `undefined` within it. */
export function lifetimeFault({ startsAt, endsAt }: Lifetime, now: number): TokenFault | undefined {
  // RFC 7519, section 4.1.4: a token is expired at the very millisecond of its expiry.
  if (now >= endsAt) return 'TOKEN_EXPIRED'
  return now < startsAt ? 'TOKEN_NOT_YET_VALID' : undefined
}

function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_DATE
}
