import type { ErrorCode } from '../../errors.ts'
import type { JsonObject } from './decode-token.ts'

/** When a token may be used, in milliseconds of the epoch, clock skew already allowed for. */
export interface Lifetime {
  readonly startsAt: number
  readonly endsAt: number
}

// The last second of the year 9999. Beyond it lie milliseconds taken for seconds and tokens that never end.
const LAST_DATE = 253_402_300_799

/** Reads the numeric dates of a token. `exp` is required (RFC 9068, section 2.2); each must really be a number. */
export function readLifetime(claims: JsonObject, skewSeconds: number): Lifetime | ErrorCode {
  const { exp, nbf = 0, iat = 0 } = claims
  if (exp === undefined) return 'REQUIRED_CLAIM_MISSING'
  if (!isNumericDate(exp) || !isNumericDate(nbf) || !isNumericDate(iat)) return 'INVALID_TOKEN'
  return { startsAt: (nbf - skewSeconds) * 1000, endsAt: (exp + skewSeconds) * 1000 }
}

/** What is wrong with using a token now, if anything. */
export function lifetimeFault({ startsAt, endsAt }: Lifetime, now: number): ErrorCode | undefined {
  // RFC 7519, section 4.1.4: at the very moment of expiry it is too late.
  if (now >= endsAt) return 'TOKEN_EXPIRED'
  return now < startsAt ? 'TOKEN_NOT_YET_VALID' : undefined
}

function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= LAST_DATE
}
