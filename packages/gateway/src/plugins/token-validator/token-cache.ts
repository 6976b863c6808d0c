import { hash } from 'node:crypto'
import { detached } from '@agentic-rest/http1'
import { LRUCache } from 'lru-cache'
import type { Identity } from '../../exchange.ts'
import { type Lifetime, lifetimeFault } from './inspect-token.ts'
import type { KeySource } from './key-set.ts'

/** The cached facts of a valid token. */
export interface VerifiedToken {
  readonly identity: Identity
  readonly lifetime: Lifetime
  readonly keys: KeySource
  /** The version of the keys that verified the signature. */
  readonly keysVersion: number
}

/** A cache of valid tokens: the next request with a cached token needs neither a key nor a promise. */
export interface TokenCache {
  get(token: string): Identity | undefined
  set(token: string, verified: VerifiedToken): void
}

/** The size of the cache, in tokens and in their bytes. */
export const tokenCacheLimits = { maxTokens: 10_000, maxBytes: 33_554_432 } as const

/** The tokens that are compared as they are, without a digest, which takes longer than the rest of the look-up. */
const RECENT_TOKENS = 1024
/** They are found by their last characters, which are part of the signature: V8 takes 2 ns for each character of a key. */
const TAIL_LENGTH = 16

interface RecentToken {
  readonly token: string
  readonly verified: VerifiedToken
}

/** Creates the cache. Its keys contain the version of the configuration, so that no token outlives the rules it passed. */
export function createTokenCache(configVersion: string): TokenCache {
  const { maxTokens, maxBytes } = tokenCacheLimits
  const tokens = new LRUCache<string, VerifiedToken>({ max: maxTokens, maxSize: maxBytes })
  // The digest has a fixed length, so two different pairs never share a key.
  const keyOf = (token: string) => `${hash('sha256', token, 'base64url')}.${configVersion}`
  // A token that is verified at once needs no second digest.
  let missed = { token: '', key: '' }
  const recent = new Map<string, RecentToken>()
  const findRecent = (token: string) => {
    const found = recent.get(token.slice(-TAIL_LENGTH))
    return found?.token === token ? found.verified : undefined
  }
  const find = (token: string) => {
    const key = keyOf(token)
    const verified = tokens.get(key)
    if (verified === undefined) {
      missed = { token, key }
      return undefined
    }
    // All at once: their next requests find them by digest, which tells the cache that they are in use.
    if (recent.size >= RECENT_TOKENS) recent.clear()
    recent.set(detached(token.slice(-TAIL_LENGTH)), { token: detached(token), verified })
    return verified
  }
  return {
    get(token) {
      const verified = findRecent(token) ?? find(token)
      if (verified === undefined) return undefined
      if (isStillValid(verified)) return verified.identity
      recent.delete(token.slice(-TAIL_LENGTH))
      tokens.delete(keyOf(token))
      return undefined
    },
    set(token, verified) {
      const key = missed.token === token ? missed.key : keyOf(token)
      tokens.set(key, verified, { size: token.length })
    },
  }
}

/** The start of the lifetime is checked too, because the clock may be set back. */
function isStillValid({ lifetime, keys, keysVersion }: VerifiedToken): boolean {
  return lifetimeFault(lifetime, Date.now()) === undefined && keys.version() === keysVersion
}
