import type { KeyObject } from 'node:crypto'
// By its own path: the whole package has 45 modules, and a start waits for each.
import { compactVerify } from 'jose/jws/compact/verify'
import type { ErrorCode } from '../../errors.ts'
import type { InspectedToken } from './inspect-token.ts'
import type { KeyLookup } from './key-source.ts'

/** A good signature, and the version of the keys that it was checked with. */
export interface VerifiedSignature {
  readonly keysVersion: number
}

/** Checks the signature with the keys of the token's issuer. */
export async function verifySignature(token: InspectedToken): Promise<VerifiedSignature | ErrorCode> {
  const { keys, query } = token
  const result = await checkWith(await keys.find(query), token)
  if (result !== 'INVALID_TOKEN' || query.kid !== undefined) return result
  // Where no key has a name, a new key shows only as a signature that no known key made.
  return checkWith(await keys.findAfterRefetch(query), token)
}

async function checkWith(lookup: KeyLookup, token: InspectedToken): Promise<VerifiedSignature | ErrorCode> {
  switch (lookup.type) {
    case 'unavailable':
      return 'JWKS_UNAVAILABLE'
    case 'unknown':
      return 'INVALID_TOKEN'
    case 'found':
      return (await isSignedByAny(token, lookup.keys)) ? { keysVersion: lookup.version } : 'INVALID_TOKEN'
  }
}

async function isSignedByAny(token: InspectedToken, keys: readonly KeyObject[]): Promise<boolean> {
  for (const key of keys) if (await isSignedBy(token, key)) return true
  return false
}

async function isSignedBy({ token, query }: InspectedToken, key: KeyObject): Promise<boolean> {
  try {
    await compactVerify(token, key, { algorithms: [query.algorithm] })
    return true
  } catch {
    // jose throws for a wrong signature as for anything else that keeps it from saying yes.
    return false
  }
}
