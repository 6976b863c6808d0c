import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Identity } from '../../exchange.ts'
import type { KeySource } from './key-source.ts'
import { type Lifetime, lifetimeFault } from './lifetime.ts'

/** What is remembered of a token that was found valid. */
export interface VerifiedToken {
  readonly identity: Identity
  readonly lifetime: Lifetime
  readonly keys: KeySource
  /** The version of the keys when the signature was checked. */
  readonly keysVersion: number
}

/** Remembers valid tokens, so that the next request with one needs neither a key nor a promise. */
export interface TokenCache {
  get(token: string): Identity | undefined
  set(token: string, verified: VerifiedToken): void
}

/** How much is remembered, counted in tokens and in their bytes. */
export const tokenCacheLimits = { maxTokens: 10_000, maxBytes: 33_554_432 } as const

/** Makes the cache. Its keys hold the configuration's version, so that no token outlives the rules it passed. */
export function createTokenCache(configVersion: string): TokenCache {
  const { maxTokens, maxBytes } = tokenCacheLimits
  const tokens = new LRUCache<string, VerifiedToken>({ max: maxTokens, maxSize: maxBytes })
  // The digest has one length, so nothing can be moved from one part of the key to the other.
  const keyOf = (token: string) => `${hash('sha256', token, 'base64url')}.${configVersion}`
  return {
    get(token) {
      const key = keyOf(token)
      const verified = tokens.get(key)
      if (verified === undefined) return undefined
      if (isStillValid(verified)) return verified.identity
      tokens.delete(key)
      return undefined
    },
    set: (token, verified) => void tokens.set(keyOf(token), verified, { size: token.length }),
  }
}

/** A clock that was set back counts too; and other keys than those it was checked with end a token's stay. */
function isStillValid({ lifetime, keys, keysVersion }: VerifiedToken): boolean {
  return lifetimeFault(lifetime, Date.now()) === undefined && keys.version() === keysVersion
}
